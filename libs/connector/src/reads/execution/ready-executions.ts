import type { Db } from '@connector/platform/db/db';
import { conExecution } from '@connector/schema/connector/execution';
import { conOrderingLane } from '@connector/schema/connector/ordering';
import { countReady, readyOf, type ReadyRows } from '../ready-rows';

const IS_DUE = 'ready_account IS NOT NULL AND due_at <= NOW(6)';
/** Of a lane one execution at most is ready: the lane is what counts. */
const DUE = countReady(conExecution, 'due_at', IS_DUE, { table: conOrderingLane, since: 'due_at', ready: IS_DUE });
const AWAITING = countReady(conExecution, 'minted_at', 'awaiting_account IS NOT NULL');

/** Executions that may be claimed, and those that owe a result. */
export const readyExecutions = async (db: Db): Promise<readonly ReadyRows[]> => [
  await readyOf(db, 'execution', DUE),
  await readyOf(db, 'result', AWAITING),
];
