import { listOf, type Members, membersOf, textOf } from '../members';
import { faultsIn, renderFaults } from './faults';

/** What became of an attempt that was opened, and the next command. */
export function renderOpened(answer: Members, organization: string): readonly string[] {
  const [installation, attempt, end] = [textOf(answer['installation']), textOf(answer['attempt']), membersOf(answer['end'])];
  const at = `--organization ${organization}`;
  return [
    `Attempt ${attempt} of ${installation}: ${saidOf(end)}`,
    `  Next     connector installs journal ${installation} ${at}`,
    ...(end['kind'] === 'failed' ? [`  Again    connector installs resume ${installation} ${at}`] : []),
  ];
}

function saidOf(end: Members): string {
  const lineage = membersOf(end['lineage']);
  switch (end['kind']) {
    case 'published':
      return `it serves, activation epoch ${textOf(lineage['activation_epoch'])}, catalog revision ${textOf(lineage['catalog_revision'])}.`;
    case 'waiting':
      return `it waits for ${textOf(end['for'])}. The catalog goes on by itself once that answers.`;
    case 'failed':
      return `it failed, ${textOf(end['code'])}. What served before is as it was.`;
    default:
      return `it is ${textOf(end['kind'])}.`;
  }
}

/** Each step with what it committed; of a refusal every check that failed. */
export function renderJournal(entries: readonly Members[]): readonly string[] {
  if (entries.length === 0) return ['no attempts'];
  return entries.flatMap((entry, at) => {
    const begins = at === 0 || entries[at - 1]?.['attempt'] !== entry['attempt'];
    const lines = [`  ${textOf(entry['step']).padEnd(13)}${textOf(entry['at'])}`, ...committed(membersOf(entry['entry']))];
    return begins ? [...(at === 0 ? [] : ['']), `Attempt ${textOf(entry['attempt'])}`, ...lines] : lines;
  });
}

function committed(entry: Members): readonly string[] {
  if (listOf(entry['faults']).length > 0) {
    const faults = faultsIn({ errors: entry['faults'], errors_more: entry['more'] });
    return faults === undefined ? [] : renderFaults('The preparation', faults, 'PREPARATION_REFUSED').map((line) => `    ${line}`);
  }
  return Object.entries(entry).map(
    ([name, value]) => `    ${name.padEnd(21)}${typeof value === 'object' ? JSON.stringify(value) : textOf(value)}`,
  );
}
