import { broken, type Planted } from './planted';

const ROW = { organization_id: 'o', app_installation_id: 'i', live_app_id: 'a', attempt: 2n, activation_epoch: 2n, active_attempt: null };
const REMOVING: Planted = { lineages: [], installations: [{ ...ROW, state: 'REMOVING' }] };
const tombstone = (over: object = {}) => ({ ...ROW, state: 'REMOVED', live_app_id: null, ...over });
const REMOVED: Planted = { installations: [tombstone()] };
const held = (state: string) => ({
  ...{ organization_id: 'o', app_installation_id: 'i', binding_id: 'b', capability_id: 'c' },
  ...{ state, ownership_epoch: 1n },
});

describe('invariants of removals on planted histories', () => {
  it('none: what is withdrawn becomes a tombstone, and stays one', () => {
    expect(broken(REMOVING, REMOVED)).toEqual([]);
    expect(broken(REMOVED, REMOVED)).toEqual([]);
    expect(broken({ ...REMOVING, heldBindings: [held('RETIRED')] }, { ...REMOVED, heldBindings: [held('RETIRED')] })).toEqual([]);
  });

  it.each(['STAGED', 'ACTIVE', 'DRAINING'])('INST-15: REMOVED with a binding that is %s', (state) => {
    expect(broken({ ...REMOVING, heldBindings: [held(state)] }, { ...REMOVED, heldBindings: [held(state)] })).toEqual(['INST-15']);
  });

  it.each([{ live_app_id: 'a' }, { active_attempt: 1n }])('INST-15: REMOVED with %j', (over) => {
    expect(broken(REMOVING, { installations: [tombstone(over)] })).toEqual(['INST-15']);
  });

  it('INST-15: a tombstone that moves', () => {
    expect(broken(REMOVED, { installations: [tombstone({ attempt: 3n })] })).toEqual(['INST-15']);
  });

  it('INST-07: a withdrawal that is open of what is ACTIVE; none of what is REMOVING, or of what FAILED', () => {
    const open = (state: string): Planted => ({
      lineages: [{ organization_id: 'o', lineage_id: 'l', catalog_revision: 1n, open_installation_id: 'i', open_attempt: 2n }],
      installations: [{ ...ROW, state }],
    });
    const found = ['ACTIVE', 'REMOVING', 'FAILED'].map((state) => broken(open(state), open(state)));
    expect(found).toEqual([['INST-07'], [], []]);
  });
});
