import type { Db } from '@connector/platform/db/db';
import { conServingGate } from '@connector/schema/connector/serving';
import { countReady, readyOf, type ReadyRows } from '../ready-rows';

const HALTING = countReady(conServingGate, 'changed_at', "mode = 'halting_v2'");

/** Accounts that are halting and not yet halted. */
export const haltingGates = async (db: Db): Promise<readonly ReadyRows[]> => [await readyOf(db, 'halt', HALTING)];
