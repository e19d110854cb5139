import type { Explanation } from '@connector/connector/model/explain/explanation';
import { paint } from './paint';
import { clock, lasting } from './time';

const CLASS = {
  machine: 'machine: it goes on by itself',
  owner: 'owner: somebody named must act',
  safety: 'safety: only evidence moves it',
  policy: 'policy: a frozen rule applies at a known time',
};
const ALSO_MAX = 8;

export function isExplanation(value: unknown): value is Explanation {
  return typeof value === 'object' && value !== null && 'schema' in value && value.schema === 'connector.explain/v1';
}

/** Why it waits, whose move it is, what may be done and what will not help (experience 3(c)). */
export function renderExplanation(explanation: Explanation, color: boolean): readonly string[] {
  const { subject, reason, verdict } = explanation;
  const now = explanation.as_of.database_time;
  const name = `${capital(subject.kind)} ${subject.kind === 'account' ? subject.id.slice('account/'.length) : subject.id}`;
  const state = `is ${paint(subject.state, color)}`;
  if (reason === null) return [`${name} ${state}: nothing is owed.`, '', ...asOf(explanation)];
  const since = `${lasting(Date.parse(reason.since), Date.parse(now))} · ${paint(verdict, color)}`;
  return [
    `${name} ${state} · ${since}`,
    '',
    line('Why', `${reason.code}   ${reason.headline}`),
    ...alsoLines(explanation),
    ...(reason.subject === subject.id ? [] : [line('Where', reason.subject)]),
    line('Class', CLASS[reason.class]),
    line('Owner', explanation.owner?.role ?? ''),
    line('Alert', alertText(explanation)),
    ...(explanation.policy === null ? [] : [line('Then', `at ${clock(explanation.policy.at, now)}: ${explanation.policy.then}`)]),
    '',
    ...dotted(
      'You may',
      explanation.may.map(({ say, command }) => (command === null ? say : `${say}:  ${command}`)),
    ),
    ...dotted('Will not', explanation.will_not_help, 'help'),
    '',
    line('Evidence', evidenceText(explanation)),
    ...asOf(explanation),
  ];
}

function alsoLines({ also }: Explanation): readonly string[] {
  const shown = also
    .slice(0, ALSO_MAX)
    .map(({ code, subject, headline }, at) => line(at === 0 ? 'Also' : '', `${code}   ${subject}   ${headline}`));
  return also.length > ALSO_MAX ? [...shown, line('', `and ${also.length - ALSO_MAX} more (--json)`)] : shown;
}

/** An alert tells somebody. It never says that something is released. */
function alertText({ alert, as_of }: Explanation): string {
  if (alert === null) return 'no alert declared';
  const now = as_of.database_time;
  const when = clock(alert.at, now);
  if (alert.passed)
    return `${when}, passed ${lasting(Date.parse(alert.at), Date.parse(now))} ago   (somebody was to be told; nothing was released)`;
  return `${when}, in ${lasting(Date.parse(now), Date.parse(alert.at))}   (somebody is told; nothing is released)`;
}

function evidenceText({ evidence }: Explanation): string {
  if (evidence === null) return 'none';
  return `${evidence.query} of ${evidence.params.id}   ${evidence.count} ${evidence.count === 1 ? 'row' : 'rows'}   (--json shows them)`;
}

function asOf({ as_of: { database_time: now, gate, epoch } }: Explanation): readonly string[] {
  const parts = [
    `database ${clock(now, now)}`,
    ...(gate === null ? [] : [`gate ${gate.account} ${gate.mode} fence ${gate.fence}`]),
    ...(epoch === null ? [] : [`epoch ${epoch.id} ${epoch.state}`]),
  ];
  return [line('As of', parts.join(' · '))];
}

function dotted(label: string, items: readonly string[], second = ''): readonly string[] {
  const labels = [label, second];
  const lines = items.map((item, at) => line(labels[at] ?? '', `· ${item}`));
  return second !== '' && items.length === 1 ? [...lines, line(second, '')] : lines;
}

const line = (label: string, text: string): string => `  ${label.padEnd(10)}${text}`.trimEnd();
const capital = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1).replaceAll('_', ' ')}`;
