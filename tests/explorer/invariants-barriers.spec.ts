import { broken, type Planted } from './planted';

const PLACE = { organization_id: 'o', app_installation_id: 'i' };
const RECEIPT = JSON.stringify({ authorized_workload_id: 'w', view_digest: 'd' });
const open = (fence = 0n, holder = 0n) => ({
  ...PLACE,
  ...{ state: 'open', barrier_fence: fence, holder_fence: holder, attempt_id: null, receipt: null },
});
const held = (over: object = {}) => ({
  ...PLACE,
  ...{ state: 'held', barrier_fence: 1n, holder_fence: 1n, attempt_id: 'a', receipt: RECEIPT, ...over },
});
const AT = { ...PLACE, authorized_workload_id: 'w', lineage_id: 'l' };
/** A workload whose view stands. */
const STANDS: Planted = {
  memberships: [{ ...AT, catalog_revision: 1n, membership_digest: 'm' }],
  pointers: [{ ...AT, catalog_revision: 1n, activation_epoch: 1n }],
  views: [{ ...AT, catalog_revision: 1n, view: '{}', view_digest: 'd' }],
};
const with_ = (...barriers: readonly object[]): Planted => ({ ...STANDS, barriers: barriers as Planted[string] });

const ids = (before: Planted, after: Planted): readonly string[] => broken(before, after).filter((id) => id.startsWith('INT-1'));
const INT = (before: Planted, after: Planted): readonly string[] => ids(before, after).filter((id) => id === 'INT-16' || id === 'INT-17');

describe('invariants of publication barriers on planted histories', () => {
  it('none: held, taken over, released, and held anew by a later holder', () => {
    const steps = [open(), held(), held({ holder_fence: 2n }), open(1n, 2n), held({ barrier_fence: 2n, holder_fence: 3n })];
    for (const [at, row] of steps.entries()) if (at > 0) expect(INT(with_(steps[at - 1] ?? {}), with_(row))).toEqual([]);
  });

  it.each([
    ['the holder fence goes back', held({ holder_fence: 2n }), held()],
    ['it is held anew under a fence that was used', open(0n, 1n), held()],
    ['a hold has the fence of the one before', open(1n, 0n), held()],
    ['the hold goes to another attempt', held(), held({ attempt_id: 'b' })],
    ['it is open and an attempt stands in it', held(), { ...open(1n, 1n), attempt_id: 'a' }],
  ])('INT-17: %s', (_what, before, after) => {
    expect(INT(with_(before), with_(after))).toEqual(['INT-17']);
    const packs = (row: object): Planted => ({ packBarriers: [row] as Planted[string] });
    expect(INT(packs(before), packs(after))).toEqual(['INT-17']);
  });

  it('INT-16: a membership that moves behind a held barrier, and a pack that is registered behind one', () => {
    const moved = { ...with_(held()), memberships: [{ ...AT, catalog_revision: 2n, membership_digest: 'n' }] };
    expect(INT(with_(held()), moved)).toEqual(['INT-16']);
    const packs: Planted = { packBarriers: [held()] };
    expect(INT(packs, { ...packs, packGenerations: [{ organization_id: 'o', owner_pack: 'p', pack_version: '1' }] })).toEqual(['INT-16']);
  });

  it('INT-16: a receipt of another view than the one that stands', () => {
    const other = JSON.stringify({ authorized_workload_id: 'w', view_digest: 'x' });
    expect(INT(with_(open()), with_(held({ receipt: other })))).toEqual(['INT-16']);
  });
});
