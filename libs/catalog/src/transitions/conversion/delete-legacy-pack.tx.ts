/**
 * delete-legacy-pack: the decision to delete a converted pack
 *
 * why     The legacy world deletes on a decision that stands, so that a deletion which was cut is gone on with and never begun twice (cat:COEX-13).
 * paths   delete-legacy-pack
 * locks   lineage
 * fence   the lineage at the revision over which the gates were judged, with no publication of the App open: what it serves and what is kept for a
 *         change that may be taken back is what was judged (cat:COEX-09, cat:COEX-11). A conversion that stands, and no reader left in its ledger.
 * again   The request key; a decision that stands is `already-decided`.
 */
import { readRows } from '@connector/kernel/statement';
import { jcs, type Json } from '@connector/kernel/jcs';
import type { Db } from '@connector/platform/db/db';
import { catConversion, catLegacyDeletion } from '@connector/schema/catalog/conversion';
import { audit } from '../../fences/audit';
import { lockLineage } from '../../fences/lineage';
import { keepRequest, recallRequest } from '../../fences/request';
import { catalogDoors } from '../../model/paths';
import type { RequestKey } from '../../model/request';
import { openReaders } from './open-readers';

export interface DeleteLegacyPack {
  readonly organization: string;
  readonly appId: string;
  /** Of the organization, read before the gates were judged. */
  readonly catalogRevision: bigint;
  /** The gates as they were passed, with the evidence. */
  readonly entry: Json;
}
export type DecidedDeletion =
  | { readonly kind: 'decided' | 'already-decided' | 'not-converted' }
  /** What was judged is of the past: judge again. */
  | { readonly kind: 'judged-past'; readonly catalogRevision: bigint }
  | { readonly kind: 'readers-left'; readonly readers: readonly string[] };

const CONVERTED = readRows(
  catConversion,
  ['app_installation_id'],
  'WHERE organization_id = :organization_id AND converted_app_id = :converted_app_id',
  'converted',
);

export function decideDeletion(db: Db, input: DeleteLegacyPack, request: RequestKey): Promise<DecidedDeletion> {
  const { organization, appId, entry } = input;
  return db.fenced(catalogDoors['delete-legacy-pack'], async (tx) => {
    const lineage = await lockLineage(tx, organization);
    if (lineage === undefined) return { kind: 'not-converted' };
    const before = await recallRequest<DecidedDeletion>(tx, request);
    if (before !== undefined) return before;
    const [converted] = await tx.read(CONVERTED, { organization_id: organization, converted_app_id: appId });
    if (converted === undefined) return { kind: 'not-converted' };
    const readers = (await openReaders(tx, organization, appId)).map(({ reader }) => reader);
    if (readers.length > 0) return { kind: 'readers-left', readers };
    const { catalogRevision, open } = lineage;
    const moved = catalogRevision !== input.catalogRevision || open?.installation === converted.app_installation_id;
    if (moved) return { kind: 'judged-past', catalogRevision };
    const decision = { organization_id: organization, app_id: appId, entry: jcs(entry), decided_by: request.caller };
    if ((await tx.insertNew(catLegacyDeletion, decision)) !== 'inserted') return { kind: 'already-decided' };
    await audit(tx, { caller: request.caller, subject: appId, details: { organization } });
    return keepRequest(tx, request, { kind: 'decided' });
  });
}
