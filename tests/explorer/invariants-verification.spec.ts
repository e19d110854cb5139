import { bindingView } from '@connector/catalog/model/documents';
import { Digest } from '@connector/kernel/digest';
import { broken, type Planted } from './planted';

const SNAPSHOT = Digest.sha256(Buffer.from('snapshot'));
const GENERATION = Digest.sha256(Buffer.from('generation'));
const WHO = { organization_id: 'o', app_installation_id: 'i', authorized_workload_id: 'w', lineage_id: 'l', catalog_revision: 2n };
const binding = {
  ...{ kind: 'field-mapping' as const, owner_pack: 'p', pack_installation_id: 'pi', pack_payload_digest: GENERATION },
  ...{ business_key: 'k', definition_version: '1', credential_refs: [] },
};
const VIEW = bindingView.build({
  ...{
    schema_version: 'nexuscrm.integration-binding-view/v1',
    organization_id: 'o',
    app_installation_id: 'i',
    authorized_workload_id: 'w',
  },
  ...{ lineage: { lineage_id: 'l', catalog_revision: '2', activation_epoch: '1' }, source_snapshot_digest: SNAPSHOT, bindings: [binding] },
});
const content = { ...WHO, epoch_id: 'e', activation_epoch: 1n, source_snapshot_digest: SNAPSHOT, view_digest: VIEW.digest };
const frozen = { epoch_id: 'e', ordinal: 0, kind: 'field-mapping', business_key: 'k', pack_payload_digest: 'one' };
const PUBLISHED: Planted = {
  lineages: [{ organization_id: 'o', catalog_revision: 2n }],
  revisions: [{ organization_id: 'o', lineage_id: 'l', catalog_revision: 2n }],
  views: [{ ...WHO, view: VIEW.bytes.toString('utf8'), view_digest: VIEW.digest }],
};
const PREPARED: Planted = {
  ...PUBLISHED,
  ...{ contents: [content], frozenBindings: [frozen], epochs: [{ epoch_id: 'e', epoch_digest: 'd', state: 'prepared' }] },
};
const VERIFIED: Planted = { ...PREPARED, epochs: [{ epoch_id: 'e', epoch_digest: 'd', state: 'verified' }] };
const pinned = (generations: number): Planted => ({ pins: [{ epoch_id: 'e', epoch_digest: 'd', generations }] });
const ours = (before: Planted, after: Planted): readonly string[] =>
  broken(before, after).filter((id) => ['INT-20', 'INT-13 verified'].includes(id));

describe('invariants of candidates, each planted', () => {
  it.each<[string, Planted, Planted]>([
    ['a candidate of one revision', PUBLISHED, PREPARED],
    ['verified, and pinned before', { ...PREPARED, ...pinned(1) }, { ...VERIFIED, ...pinned(1) }],
    ['rejected without a pin', PREPARED, { ...PREPARED, epochs: [{ epoch_id: 'e', epoch_digest: 'd', state: 'rejected' }] }],
  ])('keeps: %s', (_name, before, after) => expect(ours(before, after)).toEqual([]));

  it.each<[string, string, Planted, Planted]>([
    ['INT-20', 'the revision of no view', PUBLISHED, { ...PREPARED, contents: [{ ...content, catalog_revision: 3n }] }],
    ['INT-20', 'the digest of another view', PUBLISHED, { ...PREPARED, contents: [{ ...content, view_digest: SNAPSHOT }] }],
    ['INT-20', 'another snapshot', PUBLISHED, { ...PREPARED, contents: [{ ...content, source_snapshot_digest: GENERATION }] }],
    ['INT-20', 'another activation', PUBLISHED, { ...PREPARED, contents: [{ ...content, activation_epoch: 2n }] }],
    ['INT-20', 'the bindings of another view', PUBLISHED, { ...PREPARED, frozenBindings: [{ ...frozen, business_key: 'other' }] }],
    ['INT-13 verified', 'verified without a pin', PREPARED, VERIFIED],
    [
      'INT-13 verified',
      'verified with a generation that nothing keeps',
      PREPARED,
      { ...VERIFIED, ...pinned(1), frozenBindings: [frozen, { ...frozen, ordinal: 1, pack_payload_digest: 'two' }] },
    ],
  ])('%s: %s', (id, _name, before, after) => expect(ours(before, after)).toContain(id));
});
