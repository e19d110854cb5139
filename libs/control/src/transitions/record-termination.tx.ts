/**
 * record-termination: a process generation ended and will not be started again, on its supervisor's word
 *
 * why     Only whoever started the process can say so; ABN closes a holder's permits on this receipt and an isolation receipt together.
 * paths   record-termination
 * fence   the primary key: one receipt per generation, and the first stands
 * again   The process generation.
 */
import { invariant } from '@connector/kernel/faults';
import type { GenerationId, TerminationId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { ctlTermination } from '@connector/schema/control/control';
import { controlDoors } from '../model/paths';

export interface RecordTermination {
  readonly generationId: GenerationId;
  readonly terminationId: TerminationId;
  readonly service: string;
  readonly supervisor: string;
  /** What the supervisor saw, at most 4 KiB. */
  readonly evidence: Buffer;
}
export type RecordedTermination = {
  readonly kind: 'recorded' | 'already-recorded' | 'conflicting-termination';
  readonly terminationId: TerminationId;
};

const STANDING = readRows(
  ctlTermination,
  ['generation_id', 'termination_id', 'service', 'supervisor'],
  'WHERE generation_id = :generation_id OR termination_id = :termination_id LIMIT 2',
);

export function recordTermination(db: Db, input: RecordTermination): Promise<RecordedTermination> {
  return db.fenced(controlDoors['record-termination'], async (tx) => {
    const { generationId, terminationId, service, supervisor, evidence } = input;
    const key = { generation_id: generationId, termination_id: terminationId };
    if ((await tx.insertNew(ctlTermination, { ...key, service, supervisor, evidence })) === 'inserted')
      return { kind: 'recorded', terminationId };
    const rows = await tx.read(STANDING, key);
    const standing = rows.find((row) => row.generation_id === generationId) ?? rows[0];
    invariant(standing !== undefined, 'HOUSE:control:RowVanished', 'a termination was there and is not');
    // The evidence of a second look may read otherwise; who says it of which process may not.
    const same = standing.generation_id === generationId && standing.service === service && standing.supervisor === supervisor;
    return { kind: same ? 'already-recorded' : 'conflicting-termination', terminationId: standing.termination_id };
  });
}
