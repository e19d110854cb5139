/**
 * HLTD conclude-halt: gate halting_v2 → v2_halted
 *
 * why     With no permit open nothing of this account can reach a provider any more: the no-I/O state.
 * paths   conclude-halt
 * fence   gate by (account, mode, fence); no permit with this open account. PACQ, SETL and ABN open and close permits under the same
 *         gate lock, so the plain look cannot be overtaken.
 * again   The operation id.
 */
import { readRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conDispatchPermit } from '@connector/schema/connector/outbound';
import { conServingGate } from '@connector/schema/connector/serving';
import { lockGate } from '../../fences/serving-gate';
import { connectorDoors } from '../../model/paths';
import { judgeMove, landMove, MODE_SET, MOVE_WHERE, recallMove, type GateMove, type GateMoved, type GateRefusal } from './gate-move';

/** `count` is exact below 1,000 and means "at least" there. Time never closes a permit (con:HLTD-X, con:PRMT-05). */
export type ConcludeHalt = GateMoved<'halted'> | GateRefusal | { readonly kind: 'open-permits'; readonly count: number };

const OPEN = readRows(conDispatchPermit, ['permit_id'], 'WHERE open_account = :open_account LIMIT 1000', 'open');
const HALTED = updateRows(conServingGate, `SET ${MODE_SET} ${MOVE_WHERE}`, 'halted');

export function concludeHalt(db: Db, move: GateMove): Promise<ConcludeHalt> {
  return db.fenced(connectorDoors['conclude-halt'], async (tx) => {
    const gate = await lockGate(tx, move.account);
    const before = await recallMove<'halted'>(tx, move);
    if (before !== undefined) return before;
    const judged = judgeMove(gate, move, 'halting_v2');
    if (judged.kind !== 'may') return judged;
    const open = await tx.read(OPEN, { open_account: move.account });
    if (open.length > 0) return { kind: 'open-permits', count: open.length };
    return landMove(tx, move, { kind: 'halted', from: 'halting_v2', to: 'v2_halted', statement: HALTED, story: {} });
  });
}
