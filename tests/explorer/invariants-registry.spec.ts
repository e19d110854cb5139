import { broken, type Planted } from './planted';

const owner = (publisher_id: string, ownership_epoch: bigint) => ({ app_id: 'a', publisher_id, ownership_epoch });
const event = (ownership_epoch: bigint, old_publisher_id: string | null, new_publisher_id: string) => ({
  ...{ app_id: 'a', ownership_epoch, old_publisher_id, new_publisher_id },
});
const release = (over: object = {}) => ({
  ...{ app_id: 'a', release_digest: 'd', semantic_version: '1.0.0', publisher_id: 'p', ownership_epoch: 1n },
  ...over,
});
const OWNED: Planted = { apps: [{ app_id: 'a' }], owners: [owner('p', 1n)], ownerships: [event(1n, null, 'p')] };
const MOVED: Planted = { ...OWNED, owners: [owner('q', 2n)], ownerships: [event(1n, null, 'p'), event(2n, 'p', 'q')] };

const revision = (definition_version: number, target: string, previous: string | null, digest = `r${definition_version}`) => ({
  ...{ app_id: 'a', local_component_key: 'k', definition_version, revision_digest: digest },
  ...{ target_component_id: target, previous_target_component_id: previous },
});
const ledger = (slotRevisions: readonly object[], version: number, digest = `r${version}`): Planted => ({
  slots: [{ app_id: 'a', local_component_key: 'k' }],
  slotRevisions: slotRevisions as Planted[string],
  slotHeads: [{ app_id: 'a', local_component_key: 'k', head_definition_version: version, head_revision_digest: digest }],
});
const ONE = revision(1, 'x', null);

describe('invariants of the App registry, each planted', () => {
  it.each<[string, Planted, Planted]>([
    ['an App is reserved', {}, OWNED],
    ['an App changes hands', OWNED, MOVED],
    ['a release of the owner', OWNED, { ...OWNED, releases: [release()] }],
    ['a slot begins', {}, ledger([ONE], 1)],
    ['a slot has a successor', ledger([ONE], 1), ledger([ONE, revision(2, 'y', 'x')], 2)],
  ])('kept: %s', (_, before, after) => {
    expect(broken(before, after)).toEqual([]);
  });

  it.each<[string, string, Planted, Planted]>([
    ['REG-02', 'a release is gone', { ...OWNED, releases: [release()] }, OWNED],
    ['REG-02', 'a release is another one', { ...OWNED, releases: [release()] }, { ...OWNED, releases: [release({ key_id: 'other' })] }],
    ['REG-02', 'a version has two digests', OWNED, { ...OWNED, releases: [release(), release({ release_digest: 'e' })] }],
    ['PUB-08', 'the epoch rises by two', OWNED, { ...MOVED, owners: [owner('q', 3n)] }],
    ['PUB-08', 'an owner without an event', OWNED, { ...OWNED, owners: [owner('q', 2n)] }],
    ['PUB-08', 'an event that names another old owner', OWNED, { ...MOVED, ownerships: [event(1n, null, 'p'), event(2n, 'z', 'q')] }],
    ['PUB-08', 'an owner moves within an epoch', OWNED, { ...OWNED, owners: [owner('q', 1n)] }],
    ['PUB-08', 'a release of who is not the owner', OWNED, { ...OWNED, releases: [release({ publisher_id: 'q' })] }],
    ['PUB-08', 'a release of an epoch that is over', MOVED, { ...MOVED, releases: [release({ publisher_id: 'q' })] }],
    ['PUB-08', 'a reserved App that nobody owns', {}, { apps: [{ app_id: 'a' }] }],
    ['SLOT-33', 'a revision is another one', ledger([ONE], 1), ledger([revision(1, 'x', null, 'other')], 1, 'other')],
    ['SLOT-33', 'a head behind its revisions', ledger([ONE], 1), ledger([ONE, revision(2, 'y', 'x')], 1)],
    ['SLOT-33', 'a head with another digest', {}, ledger([ONE], 1, 'other')],
    ['SLOT-33', 'a hole', ledger([ONE], 1), ledger([ONE, revision(3, 'y', 'x')], 3)],
    ['SLOT-33', 'a predecessor that is not the target before', ledger([ONE], 1), ledger([ONE, revision(2, 'y', 'z')], 2)],
  ])('%s: %s', (id, _, before, after) => {
    expect(broken(before, after)).toEqual([id]);
  });
});
