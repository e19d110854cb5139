import { type Members, membersOf, textOf } from '../members';
import { renderRow } from './table';

/** One installation, a member a line, and whether Runtime admits what is ACTIVE. */
export function renderInstallation(shown: Members, color: boolean): readonly string[] {
  const { admission, kind: _, ...row } = shown;
  return [
    ...renderRow(row, color),
    ...(admission === null ? [] : ['', `Admission  ${saidOf(membersOf(admission), textOf(row['security_epoch']))}`]),
  ];
}

function saidOf(admission: Members, tuple: string): string {
  const now = textOf(admission['security_epoch']);
  if (admission['kind'] === 'refused') return `refused, ${textOf(admission['code'])}: ${textOf(admission['detail'])}`;
  if (admission['kind'] !== 'admitted') return `not known: ${textOf(admission['detail'])}`;
  return now === tuple
    ? `Runtime security admits it, at security epoch ${now}, the tuple's own`
    : `Runtime security admits it at epoch ${now}: what that binds to it is what the tuple's own, ${tuple}, bound`;
}
