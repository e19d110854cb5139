import { listOf, type Members, membersOf, textOf, textsOf } from '../members';
import { faultsIn, renderFaults } from './faults';

/** What became of an attempt that was opened, and the next command. */
export function renderOpened(answer: Members, organization: string): readonly string[] {
  const [installation, attempt, end] = [textOf(answer['installation']), textOf(answer['attempt']), membersOf(answer['end'])];
  const at = `--organization ${organization}`;
  return [
    `Attempt ${attempt} of ${installation}: ${saidOf(end)}`,
    ...(end['kind'] === 'gates-open' ? gateLines(end, installation, at) : []),
    `  Next     connector installs journal ${installation} ${at}`,
    ...(end['kind'] === 'failed' || end['kind'] === 'waiting' ? [`  Again    connector installs resume ${installation} ${at}`] : []),
  ];
}

/** Of a candidate that was given up. */
export function renderAbandoned(answer: Members, installation: string, organization: string): readonly string[] {
  const at = `${installation} --organization ${organization}`;
  const said =
    answer['kind'] === 'abandoned'
      ? 'it is given up; what serves is what served before.'
      : `it is given up for good. What Runtime security may hold of it is taken back; ${saidOf(membersOf(answer['end']))}`;
  return [`${installation}: ${said}`, `  Next     connector installs get ${at}`];
}

function gateLines(end: Members, installation: string, at: string): readonly string[] {
  return textsOf(end['bindings']).map((binding) => `  Waits    connector bindings get ${installation} ${binding} ${at}`);
}

function saidOf(end: Members): string {
  const lineage = membersOf(end['lineage']);
  switch (end['kind']) {
    case 'published':
      return `it serves, activation epoch ${textOf(lineage['activation_epoch'])}, catalog revision ${textOf(lineage['catalog_revision'])}.`;
    case 'removed':
      return 'it is REMOVED; its App may be installed anew.';
    case 'gates-open':
      return 'it serves no more, and is REMOVED once nothing refers to its bindings. The catalog looks again by itself.';
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
