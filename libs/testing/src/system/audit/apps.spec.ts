import { Digest } from '@connector/kernel/digest';
import { OperationId } from '@connector/kernel/ids';
import { judge } from '../audit';
import { changed, withRows } from './changed.fixture';
import type { cleanHistory } from './history.fixture';
import type { Rows } from './rows';

const other = Digest.sha256(Buffer.from('other', 'utf8'));

/** Every row of one table once more, with this change. */
const doubled = <T extends keyof Rows>(table: T, change: Partial<Rows[T][number]>) =>
  withRows((rows) => ({ [table]: rows[table].flatMap((row) => [row, { ...row, ...change }]) }) as Partial<Rows>);
const without = (table: keyof Rows) => withRows(() => ({ [table]: [] }) as Partial<Rows>);
const withoutStep = (left: string) =>
  withRows(({ publicationSteps: steps }) => ({ publicationSteps: steps.filter(({ step }) => step !== left) }));

/** A second live installation of the same App: identity and name are its own, the App is not. */
function livesTwice() {
  const twin = { app_installation_id: 'twin', active_attempt: null };
  return withRows(({ identities, installations }) => ({
    identities: identities.flatMap((row) => [row, { ...row, app_installation_id: 'twin' }]),
    installations: installations.flatMap((row) => [row, { ...row, ...twin, state: 'FAILED' }]),
  }));
}

const opened = (attempt: bigint) =>
  withRows(({ lineages, installations }) => ({
    lineages: lineages.map((row) => ({ ...row, open_installation_id: installations[0]?.app_installation_id ?? '', open_attempt: attempt })),
  }));

/** Everything that an installation could leave wrong, and the words in which the auditor must say it. */
const PLANTED: readonly (readonly [string, () => ReturnType<typeof cleanHistory>, RegExp])[] = [
  ['an App that lives twice in an organization', livesTwice, /dev\.example\.app lives 2 times/],
  [
    'a removed installation that holds its name',
    () => changed('installations', { state: 'REMOVED' }),
    /is REMOVED and holds dev\.example\.app/,
  ],
  ['a live installation without its name', () => changed('installations', { live_app_id: null }), /is ACTIVE and holds null/],
  ['a publication that is open without its candidate', () => opened(2n), /attempt 2 is open and has no candidate/],
  [
    'an installation that waits and is not open',
    () => changed('installations', { state: 'PREPARING' }),
    /is PREPARING and no publication is open/,
  ],
  ['a journal with a step left out', () => withoutStep('compiled'), /has acknowledged, opened, published/],
  ['an attempt that ended twice', () => doubled('publicationSteps', { step: 'failed' }), /the journal of .* has .*failed/],
  ['an ACTIVE tuple that nobody acknowledged', () => withoutStep('acknowledged'), /is ACTIVE and its journal ends before/],
  ['an ACTIVE tuple without its revision', () => without('revisions'), /its revision 1 is of something else/],
  ['a revision of another tuple', () => changed('revisions', { tuple_digest: other }), /its revision 1 is of something else/],
  ['a revision under another activation', () => changed('revisions', { activation_epoch: 2n }), /its revision 1 is of something else/],
  [
    'an ACTIVE release that was no candidate',
    () => changed('installations', { active_release_digest: other }),
    /a release that its candidate does not have/,
  ],
  [
    'an ACTIVE tuple that Runtime projects otherwise',
    () => changed('securityProjections', { projection_digest: other }),
    /projects something else/,
  ],
  ['a revision that was never taken', () => changed('lineages', { catalog_revision: 2n }), /is at revision 2 and has 1 of them/],
  ['a current view whose bytes are not there', () => without('views'), /the current view of .* is not there/],
  ['a workload without a view', () => without('currentViews'), /wl\.one of .* is served no view/],
  ['a view of what was ACTIVE before', () => changed('installations', { activation_epoch: 2n }), /is served no view of what is ACTIVE/],
  ['two bindings that serve one capability', () => doubled('bindingStates', { binding_id: 'twin' }), /is served by 2 bindings/],
  ['a binding that drains and serves', () => changed('bindingStates', { state: 'DRAINING' }), /is DRAINING and serves/],
  [
    'a binding under an older epoch',
    () => changed('ownershipHeads', { ownership_epoch: 2n }),
    /is served under epoch 1, and the last is 2/,
  ],
  ['a component of two Apps', () => doubled('componentOwners', { app_id: 'dev.example.twin' }), /has 2 owners/],
  ['a component of an App that nobody has', () => changed('componentOwners', { app_id: 'dev.example.none' }), /of an App that nobody has/],
  [
    'an App that changed hands without an event',
    () => changed('appOwners', { publisher_id: 'dev.other' }),
    /is dev\.other's at epoch 1 by 1 events/,
  ],
  [
    'a security head that is not the last projection',
    () => changed('securityHeads', { projection_digest: other }),
    /the security head of org-1/,
  ],
  ['a security epoch without its projection', () => without('securityProjections'), /at security epoch 1 with 0 projections/],
  ['an epoch of two commands', () => doubled('securityCommands', { command_id: OperationId.mint() }), /is of 2 commands/],
  ['a state that no machine has', () => changed('installations', { state: 'CONFUSED' }), /CONFUSED/],
];

describe('audit of the App authority', () => {
  it.each(PLANTED)('found: %s', (_name, history, sentence) => {
    expect(judge(history()).findings.filter((finding) => sentence.test(finding))).not.toEqual([]);
  });

  it('nothing: an open publication with its candidate, and an attempt that failed before its end', () => {
    const open = opened(1n);
    expect(judge({ ...open, rows: { ...open.rows, installations: open.rows.installations } }).findings).toEqual([]);
    const refused = withRows(({ publicationSteps: steps }) => ({
      publicationSteps: [...steps, ...steps.slice(0, 1).map((row) => ({ ...row, attempt: 2n, step: 'refused' }))],
    }));
    expect(judge(refused).findings).toEqual([]);
  });
});
