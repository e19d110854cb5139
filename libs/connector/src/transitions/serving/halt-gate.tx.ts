/**
 * HALT halt-gate: gate v2_serving → halting_v2
 *
 * why     From this commit on no new work of the account begins: every standard fence refuses. Open permits may still make their one call.
 * paths   halt-gate
 * fence   gate by (account, mode, fence). The epoch is not asked: halting is always safe.
 * again   The operation id: the same one again is given its first answer.
 */
import { updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conServingGate } from '@connector/schema/connector/serving';
import { raiseWork } from '../../fences/account-work';
import { lockGate } from '../../fences/serving-gate';
import { connectorDoors } from '../../model/paths';
import {
  judgeMove,
  landMove,
  MODE_SET,
  MOVE_WHERE,
  recallMove,
  STORY_SET,
  storyOf,
  type GateMove,
  type GateMoved,
  type GateRefusal,
} from './gate-move';

export type HaltGate = GateMoved<'halting'> | GateRefusal;

const HALT = updateRows(conServingGate, `SET ${MODE_SET}, ${STORY_SET} ${MOVE_WHERE}`, 'halt');

/** con:HALT-P, on demand. `fence` in the answer is what the gate has now. */
export function haltGate(db: Db, move: GateMove): Promise<HaltGate> {
  return db.fenced(connectorDoors['halt-gate'], async (tx) => {
    const gate = await lockGate(tx, move.account);
    const before = await recallMove<'halting'>(tx, move);
    if (before !== undefined) return before;
    const judged = judgeMove(gate, move, 'v2_serving');
    if (judged.kind !== 'may') return judged;
    const moved = await landMove(tx, move, {
      kind: 'halting',
      from: 'v2_serving',
      to: 'halting_v2',
      statement: HALT,
      story: storyOf(move),
    });
    // Whoever concludes halts finds the account without being told.
    if (moved.kind === 'halting') await raiseWork(tx, 'halt', [move.account]);
    return moved;
  });
}
