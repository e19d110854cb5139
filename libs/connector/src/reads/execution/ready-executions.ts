import type { Db } from '@connector/platform/db/db';
import { conExecution } from '@connector/schema/connector/execution';
import { countReady, readyOf, type ReadyRows } from '../ready-rows';

const DUE = countReady(conExecution, 'due_at', 'ready_account IS NOT NULL AND due_at <= NOW(6)');
const AWAITING = countReady(conExecution, 'minted_at', 'awaiting_account IS NOT NULL');

/** Executions that may be claimed, and those that owe a result. */
export const readyExecutions = async (db: Db): Promise<readonly ReadyRows[]> => [
  await readyOf(db, 'execution', DUE),
  await readyOf(db, 'result', AWAITING),
];
