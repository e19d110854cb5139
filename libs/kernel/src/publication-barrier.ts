import { documentKind } from './document';
import { inKeyOrder } from './document-order';
import { closed, DECIMAL, DIGEST, listOf, oneOf, TEXT } from './document-shape';

/** catalog.md B.5: what an owner says while it holds its authors off. No time and no nonce: one hold has one receipt. The separator is ours. */
const SEPARATOR = 'nexuscrm.publication-barrier-receipt.v1';
const HOLD = {
  schema_version: oneOf('nexuscrm.publication-barrier-receipt/v1'),
  organization_id: TEXT,
  attempt_id: TEXT,
  barrier_fence: DECIMAL,
};

/** Of one installation: the view that stands as long as this is held. */
export const catalogBarrierReceipt = documentKind({
  name: 'catalog barrier receipt',
  separator: SEPARATOR,
  shape: closed({
    ...HOLD,
    owner: oneOf('catalog'),
    app_installation_id: TEXT,
    authorized_workload_id: TEXT,
    lineage: closed({ lineage_id: TEXT, catalog_revision: DECIMAL, activation_epoch: DECIMAL }),
    view_digest: DIGEST,
  }),
});

/** Of one organization: the generations that stand as long as this is held. */
export const packsBarrierReceipt = documentKind({
  name: 'packs barrier receipt',
  separator: SEPARATOR,
  shape: closed({ ...HOLD, owner: oneOf('packs'), generations: listOf(closed({ storage_id: TEXT, pack_payload_digest: DIGEST }), 500) }),
  arrange: (receipt) => ({
    ...receipt,
    generations: inKeyOrder(receipt.generations, (one) => [one.storage_id]),
  }),
});
