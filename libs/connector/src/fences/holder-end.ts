import type { GenerationId, IsolationId, TerminationId } from '@connector/kernel/ids';
import { lockRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { ctlIsolation, ctlTermination } from '@connector/schema/control/control';

/** What is proved of one process generation; a receipt that nobody wrote is absent. */
export interface ProvedEnd {
  readonly terminationId: TerminationId | undefined;
  readonly isolationId: IsolationId | undefined;
}

const TERMINATION = lockRows(ctlTermination, ['generation_id', 'termination_id'], 'WHERE generation_id IN (:generation_id)');
const ISOLATION = lockRows(ctlIsolation, ['generation_id', 'isolation_id'], 'WHERE generation_id IN (:generation_id)');

/**
 * The receipts of exactly these generations (con:TERM-F, con:ISO-F), locked. They are another owner's facts and never change once
 * written; an absent one fails closed. `generations` is not empty.
 */
export async function lockHolderEnds(tx: FencedTx, generations: readonly GenerationId[]): Promise<ReadonlyMap<GenerationId, ProvedEnd>> {
  const terminations = await tx.lockMany(TERMINATION, { generation_id: generations });
  const isolations = await tx.lockMany(ISOLATION, { generation_id: generations });
  const terminated = new Map(terminations.map((row) => [row.generation_id, row.termination_id]));
  const isolated = new Map(isolations.map((row) => [row.generation_id, row.isolation_id]));
  return new Map(
    generations.map((generation) => [generation, { terminationId: terminated.get(generation), isolationId: isolated.get(generation) }]),
  );
}
