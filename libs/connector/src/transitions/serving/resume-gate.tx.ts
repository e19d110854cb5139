/**
 * RESU resume-gate: gate v2_halted → v2_serving, on the epoch that it has
 *
 * why     One halted account may serve again while no succession is open (decisions 8). A succession begins under the service row, which
 *         this door holds; none is built yet, so its absence is the whole guard (con:GATE-11).
 * paths   resume-gate
 * fence   service row; gate by (account, mode, fence); its epoch active with an equal digest.
 * again   The operation id.
 */
import { invariant } from '@connector/kernel/faults';
import { lockRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conAccountWork, conService, conServingGate } from '@connector/schema/connector/serving';
import { epochRefusal, lockGate } from '../../fences/serving-gate';
import { connectorDoors } from '../../model/paths';
import { SERVICE_KEY, WORK_STAGES } from '../../model/serving/work';
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

export type ResumeGate = GateMoved<'serving'> | GateRefusal | { readonly kind: 'epoch-not-active'; readonly state: string };

const SERVICE = lockRows(conService, ['revision'], 'WHERE service_key = :service_key');
const RESUME = updateRows(conServingGate, `SET ${MODE_SET}, ${STORY_SET} ${MOVE_WHERE}`, 'resume');
const RAISE_ALL = updateRows(
  conAccountWork,
  `SET produced = produced + 1, due_at = CASE WHEN due_at IS NULL OR due_at > NOW(6) THEN NOW(6) ELSE due_at END
 WHERE account = :account AND stage IN (:stage)`,
  'raise-all',
);

export function resumeGate(db: Db, move: GateMove): Promise<ResumeGate> {
  return db.fenced(connectorDoors['resume-gate'], async (tx) => {
    const service = await tx.lock(SERVICE, { service_key: SERVICE_KEY });
    invariant(service !== undefined, 'HOUSE:connector:ServiceRowMissing', 'migrate creates the service row');
    const gate = await lockGate(tx, move.account);
    const before = await recallMove<'serving'>(tx, move);
    if (before !== undefined) return before;
    const judged = judgeMove(gate, move, 'v2_halted');
    if (judged.kind !== 'may') return judged;
    const refused = await epochRefusal(tx, judged.gate);
    if (refused?.kind === 'epoch-not-active') return refused;
    const moved = await landMove(tx, move, {
      kind: 'serving',
      from: 'v2_halted',
      to: 'v2_serving',
      statement: RESUME,
      story: storyOf(move),
    });
    if (moved.kind === 'serving') await raiseAll(tx, move);
    return moved;
  });
}

/** What waited while the account was halted is looked for again, in every stage: its pollers had let it rest. */
async function raiseAll(tx: FencedTx, move: GateMove): Promise<void> {
  const met = await tx.update(RAISE_ALL, { account: move.account, stage: WORK_STAGES });
  invariant(met === WORK_STAGES.length, 'HOUSE:connector:WorkRowMissing', `${move.account}: ${met} of ${WORK_STAGES.length} work rows`);
}
