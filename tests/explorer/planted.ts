import type { Commit } from './invariant';
import { INVARIANTS } from './invariants';

/** Rows of one commit's side, by table; a table that is not named is empty. */
export type Planted = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

const NAMES = [
  'gates',
  'work',
  'channels',
  'keys',
  'receipts',
  'conflicts',
  'materializations',
  'executions',
  'attempts',
  'results',
  'heads',
  'commands',
]
  .concat(['feeds', 'effects', 'permits', 'evidence', 'links', 'audits', 'credentials', 'holders', 'epochs', 'certificates', 'outcomes'])
  .concat(['spanning', 'accepted', 'starts', 'lanes', 'superseded', 'gaps'])
  .concat(['lineages', 'revisions', 'installations', 'heldBindings', 'references', 'memberships', 'authorized', 'views', 'pointers'])
  .concat(['securityHeads', 'securityProjections', 'securityCommands'])
  .concat(['apps', 'owners', 'ownerships', 'offers', 'releases', 'blocks', 'slots', 'slotRevisions', 'slotHeads'])
  .concat(['publishers', 'prefixes', 'signingKeys'])
  .concat(['pins', 'bindings', 'contents', 'frozenBindings'])
  .concat(['conversions', 'legacyReaders', 'legacyDeletions'])
  .concat(['barriers', 'packBarriers', 'packGenerations']);
const none = Object.fromEntries(NAMES.map((name) => [name, []]));
/** Rows of the members that a test is about. */
const rows = (planted: Planted): Commit['before'] => ({ ...none, ...planted }) as unknown as Commit['before'];

/** The ids of the invariants that this commit breaks. */
export function broken(before: Planted, after: Planted): readonly string[] {
  const commit = { before: rows(before), after: rows(after) };
  return INVARIANTS.filter((one) => one.broken(commit).length > 0).map(({ id }) => id);
}

export const gate = (mode: string, fence: bigint) => ({ account: 'a', mode, fence, epoch_id: 'e' });
export const EPOCHS = [{ epoch_id: 'e', epoch_digest: 'd', state: 'active' }];
export const SERVING = { gates: [gate('v2_serving', 1n)], epochs: EPOCHS };
export const AUDITS = { audits: [{ audit_id: '1', door: 'd' }] };
