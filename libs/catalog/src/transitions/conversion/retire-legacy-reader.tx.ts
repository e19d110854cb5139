/**
 * retire-legacy-reader: a reader of a frozen source reads it no more
 *
 * why     The coexistence is finite: the ledger only ever gets shorter, and what is not in it may not read (cat:COEX-05).
 * paths   retire-legacy-reader
 * locks   lineage
 * fence   the lineage, under which an upgrade of the App asks who is left (cat:COEX-04); the reader open.
 * again   The request key; a reader that went is `already-retired`.
 */
import { readRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catLegacyReader } from '@connector/schema/catalog/conversion';
import { audit } from '../../fences/audit';
import { lockLineage } from '../../fences/lineage';
import { keepRequest, recallRequest } from '../../fences/request';
import { catalogDoors } from '../../model/paths';
import type { RequestKey } from '../../model/request';

export interface RetireLegacyReader {
  readonly organization: string;
  readonly appId: string;
  readonly reader: string;
}
export type RetiredLegacyReader = { readonly kind: 'retired' | 'already-retired' | 'no-reader' };

const ONE = 'WHERE organization_id = :organization_id AND app_id = :app_id AND reader_id = :reader_id';
const RETIRE = updateRows(catLegacyReader, `SET open_app_id = NULL ${ONE} AND open_app_id = :app_id`, 'retire');
const READER = readRows(catLegacyReader, ['reader_id'], ONE, 'reader');

export function retireLegacyReader(
  db: Db,
  { organization, appId, reader }: RetireLegacyReader,
  request: RequestKey,
): Promise<RetiredLegacyReader> {
  return db.fenced(catalogDoors['retire-legacy-reader'], async (tx) => {
    // A ledger is born under a lineage: without one there is no reader.
    if ((await lockLineage(tx, organization)) === undefined) return { kind: 'no-reader' };
    const before = await recallRequest<RetiredLegacyReader>(tx, request);
    if (before !== undefined) return before;
    const key = { organization_id: organization, app_id: appId, reader_id: reader };
    if (!(await tx.cas(RETIRE, key))) {
      return { kind: (await tx.read(READER, key)).length > 0 ? 'already-retired' : 'no-reader' };
    }
    await audit(tx, { caller: request.caller, subject: appId, details: { organization, reader } });
    return keepRequest(tx, request, { kind: 'retired' });
  });
}
