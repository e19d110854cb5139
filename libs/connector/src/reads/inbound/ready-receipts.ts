import type { Db } from '@connector/platform/db/db';
import { conMaterialization } from '@connector/schema/connector/inbound';
import { countReady, readyOf, type ReadyRows } from '../ready-rows';

const RECEIPTS = countReady(conMaterialization, 'since', 'ready_account IS NOT NULL');

/** Receipts that wait to be materialized. */
export const readyReceipts = async (db: Db): Promise<readonly ReadyRows[]> => [await readyOf(db, 'materialize', RECEIPTS)];
