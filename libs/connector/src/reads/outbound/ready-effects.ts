import type { Db } from '@connector/platform/db/db';
import { conRemoteEffect } from '@connector/schema/connector/outbound';
import { countReady, readyOf, type ReadyRows } from '../ready-rows';

const DUE = countReady(conRemoteEffect, 'due_at', 'ready_account IS NOT NULL AND due_at <= NOW(6)');
const CONFIRMED = countReady(conRemoteEffect, 'changed_at', 'finalize_account IS NOT NULL');

/** Effects that may be granted a permit, and those that are confirmed and not finalized. */
export const readyEffects = async (db: Db): Promise<readonly ReadyRows[]> => [
  await readyOf(db, 'effect', DUE),
  await readyOf(db, 'finalize', CONFIRMED),
];
