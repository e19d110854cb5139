import { jcs } from '@connector/kernel/jcs';
import { viewVectors } from '@connector/testing/vectors/load';
import { broken, type Planted } from './planted';

const WORKLOAD = { organization_id: 'o', app_installation_id: 'i', authorized_workload_id: 'w' };
const vector = viewVectors.view as unknown as { readonly bindings: readonly { readonly business_key: string }[] };
const viewOf = (revision: string) =>
  jcs({ ...viewVectors.view, lineage: { lineage_id: 'l', catalog_revision: revision, activation_epoch: '1' } } as never).toString('utf8');
const view = (revision: bigint, text = viewOf(String(revision))) => ({
  ...WORKLOAD,
  ...{ lineage_id: 'l', catalog_revision: revision, view: text, view_digest: 'd' },
});
const head = (revision: bigint) => ({ organization_id: 'o', lineage_id: 'l', catalog_revision: revision });
const authorized = (revision: bigint, keys = vector.bindings.map(({ business_key }) => business_key)) =>
  keys.map((business_key, ordinal) => ({ ...WORKLOAD, catalog_revision: revision, ordinal, business_key }));

const SERVED: Planted = {
  lineages: [head(2n)],
  revisions: [{ ...head(2n), cause: 'membership' }],
  installations: [
    {
      organization_id: 'o',
      app_installation_id: 'i',
      state: 'ACTIVE',
      live_app_id: 'a',
      attempt: 1n,
      active_attempt: 1n,
      activation_epoch: 1n,
    },
  ],
  memberships: [{ ...WORKLOAD, catalog_revision: 2n }],
  authorized: authorized(2n),
  views: [view(2n)],
  pointers: [{ ...WORKLOAD, lineage_id: 'l', catalog_revision: 2n, activation_epoch: 1n }],
};
const NEXT: Planted = {
  ...SERVED,
  lineages: [head(3n)],
  revisions: [...(SERVED['revisions'] ?? []), { ...head(3n), cause: 'membership' }],
  memberships: [{ ...WORKLOAD, catalog_revision: 3n }],
  authorized: [...authorized(2n), ...authorized(3n)],
  views: [view(2n), view(3n)],
  pointers: [{ ...WORKLOAD, lineage_id: 'l', catalog_revision: 3n, activation_epoch: 1n }],
};

describe('invariants of the App authority on planted histories', () => {
  it('none: a membership that becomes another one at the next revision', () => {
    expect(broken(SERVED, SERVED)).toEqual([]);
    expect(broken(SERVED, NEXT)).toEqual([]);
  });

  it('INST-16: a revision without its row, a row without its revision, two at once, one back', () => {
    expect(broken(SERVED, { ...SERVED, lineages: [head(3n)] })).toEqual(['INST-16']);
    expect(broken(SERVED, { ...NEXT, lineages: [head(2n)] })).toEqual(['INST-16']);
    const two = [...(NEXT['revisions'] ?? []), { ...head(4n), cause: 'membership' }];
    expect(broken(SERVED, { ...NEXT, lineages: [head(4n)], revisions: two })).toEqual(['INST-16']);
    expect(broken(SERVED, { ...SERVED, lineages: [head(1n)] })).toEqual(['INST-16']);
  });

  it('INT-01: a workload serves what it is not wanted to use any more, another view, or none', () => {
    expect(
      broken(SERVED, {
        ...NEXT,
        pointers: SERVED['pointers'] ?? [],
        memberships: NEXT['memberships'] ?? [],
        authorized: [...authorized(2n), ...authorized(3n, ['x'])],
      }),
    ).toEqual(['INT-01']);
    expect(broken(SERVED, { ...NEXT, views: [view(2n)] })).toEqual(['INT-01']);
    expect(broken(SERVED, { ...NEXT, views: [view(2n), view(3n, viewOf('2'))] })).toEqual(['INT-01']);
    // Of an installation that is not ACTIVE, or of an earlier activation, a pointer says nothing.
    const withdrawn = { ...SERVED['installations']?.[0], state: 'REMOVING', active_attempt: null };
    expect(broken(SERVED, { ...NEXT, views: [view(2n)], installations: [withdrawn] })).toEqual([]);
  });

  it('INT-13: what was authorized is gone, or a view that was published is another one', () => {
    expect(broken(SERVED, { ...NEXT, authorized: authorized(3n) })).toEqual(['INT-13']);
    expect(broken(SERVED, { ...NEXT, views: [{ ...view(2n), view_digest: 'other' }, view(3n)] })).toEqual(['INT-13']);
  });
});
