/**
 * record-isolation: a process generation can reach no provider any more, on its egress controller's word
 *
 * why     The controller withdraws the generation's way out first and writes this afterwards (decisions 13.18).
 * paths   record-isolation
 * fence   the primary key: one receipt per generation, and the first stands
 * again   The process generation.
 */
import { invariant } from '@connector/kernel/faults';
import type { GenerationId, IsolationId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { ctlIsolation } from '@connector/schema/control/control';
import { controlDoors } from '../model/paths';

export interface RecordIsolation {
  readonly generationId: GenerationId;
  readonly isolationId: IsolationId;
  readonly controller: string;
  /** What the controller did, at most 4 KiB. */
  readonly evidence: Buffer;
}
export type RecordedIsolation = {
  readonly kind: 'recorded' | 'already-recorded' | 'conflicting-isolation';
  readonly isolationId: IsolationId;
};

const STANDING = readRows(
  ctlIsolation,
  ['generation_id', 'isolation_id', 'controller'],
  'WHERE generation_id = :generation_id OR isolation_id = :isolation_id LIMIT 2',
);

export function recordIsolation(db: Db, input: RecordIsolation): Promise<RecordedIsolation> {
  return db.fenced(controlDoors['record-isolation'], async (tx) => {
    const { generationId, isolationId, controller, evidence } = input;
    const key = { generation_id: generationId, isolation_id: isolationId };
    if ((await tx.insertNew(ctlIsolation, { ...key, controller, evidence })) === 'inserted') return { kind: 'recorded', isolationId };
    const rows = await tx.read(STANDING, key);
    const standing = rows.find((row) => row.generation_id === generationId) ?? rows[0];
    invariant(standing !== undefined, 'HOUSE:control:RowVanished', 'an isolation was there and is not');
    const same = standing.generation_id === generationId && standing.controller === controller;
    return { kind: same ? 'already-recorded' : 'conflicting-isolation', isolationId: standing.isolation_id };
  });
}
