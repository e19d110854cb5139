import { broken, type Planted } from './planted';

const INSTALLATION = { organization_id: 'o', app_installation_id: 'i' };
const lineage = (revision: bigint, open: string | null, attempt: bigint | null = null) => ({
  ...{ organization_id: 'o', lineage_id: 'l', catalog_revision: revision },
  ...{ open_installation_id: open, open_attempt: attempt },
});
const row = (state: string, epoch: bigint, over: object = {}) => ({
  ...INSTALLATION,
  ...{ state, live_app_id: 'a', attempt: 1n, active_attempt: epoch === 0n ? null : 1n, activation_epoch: epoch, ...over },
});
const held = (state: string, epoch: bigint | null, binding_id = 'b') => ({
  ...INSTALLATION,
  ...{ binding_id, capability_id: 'c', state, ownership_epoch: epoch },
});
const revision = { organization_id: 'o', lineage_id: 'l', catalog_revision: 1n, cause: 'publication' };

const PREPARING: Planted = {
  lineages: [lineage(0n, 'i', 1n)],
  installations: [row('PREPARING', 0n)],
  heldBindings: [held('STAGED', null)],
};
const ACTIVE: Planted = {
  lineages: [lineage(1n, null)],
  revisions: [revision],
  installations: [row('ACTIVE', 1n)],
  heldBindings: [held('ACTIVE', 1n)],
};

describe('invariants of publications on planted histories', () => {
  it('none: a preparation that is published', () => {
    expect(broken({ lineages: [lineage(0n, null)] }, PREPARING)).toEqual([]);
    expect(broken(PREPARING, ACTIVE)).toEqual([]);
  });

  it('INST-07: one App lives twice, a candidate waits that nobody opened, and one that ended is open still', () => {
    const twice = { ...ACTIVE, installations: [row('ACTIVE', 1n), row('FAILED', 0n, { app_installation_id: 'j' })] };
    expect(broken({ ...ACTIVE, installations: [], revisions: [revision] }, twice)).toContain('INST-07');
    expect(broken(PREPARING, { ...PREPARING, lineages: [lineage(0n, null)] })).toEqual(['INST-07']);
    expect(broken(PREPARING, { ...ACTIVE, lineages: [lineage(1n, 'i', 1n)] })).toEqual(['INST-07']);
  });

  it('PUBL-07: an epoch that jumps, a tuple without its binding, and a move that is not listed', () => {
    expect(broken(PREPARING, { ...ACTIVE, installations: [row('ACTIVE', 2n)] })).toEqual(['PUBL-07']);
    expect(broken(PREPARING, { ...ACTIVE, heldBindings: [held('STAGED', null)] })).toEqual(['PUBL-07']);
    expect(broken(ACTIVE, { ...ACTIVE, installations: [row('FAILED', 1n)] })).toEqual(['PUBL-07']);
  });

  it('BIND-06: two bindings of one epoch, a move that is not listed, and a reference to what never served', () => {
    expect(broken(ACTIVE, { ...ACTIVE, heldBindings: [held('DRAINING', 1n), held('RETIRED', 1n, 'x')] })).toEqual(['BIND-06']);
    expect(broken(ACTIVE, { ...ACTIVE, heldBindings: [held('STAGED', 1n)] })).toEqual(['BIND-06']);
    const failed = { ...ACTIVE, heldBindings: [held('ACTIVE', 1n), held('FAILED', null, 'x')] };
    expect(
      broken(failed, { ...failed, references: [{ ...INSTALLATION, binding_id: 'x', reference_id: 'r', open_binding_id: 'x' }] }),
    ).toEqual(['BIND-06']);
  });

  it('BIND-02: a binding of what is ACTIVE, and of what is to be; none of what was, and none of what is withdrawn', () => {
    const installed = (active: string | null, candidate: string | null): Planted => ({
      installations: [row('ACTIVE', 1n, { active_release_digest: active, candidate_release_digest: candidate })],
    });
    const staged = (active: string | null, candidate: string | null): readonly string[] =>
      broken(installed(active, candidate), {
        ...installed(active, candidate),
        bindings: [{ ...INSTALLATION, binding_id: 'b', app_release_digest: 'one' }],
      });
    expect([staged('one', null), staged('other', 'one')]).toEqual([[], []]);
    expect([staged('other', null), staged(null, null)]).toEqual([['BIND-02'], ['BIND-02']]);
  });
});
