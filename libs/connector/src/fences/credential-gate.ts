import type { CredentialFence } from '@connector/kernel/brand';
import type { CredentialGenerationId } from '@connector/kernel/ids';
import { lockRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conCredentialGate } from '@connector/schema/connector/serving';
import { credentialGateMachine, type CredentialGateMode } from '../model/serving/credential-gate';

export interface CredentialGate {
  readonly generationId: CredentialGenerationId;
  readonly mode: CredentialGateMode;
  readonly fence: CredentialFence;
}

const LOCK = lockRows(conCredentialGate, ['mode', 'fence'], 'WHERE generation_id = :generation_id');

/** The credential gate, locked. A missing one fails closed: undefined, and whoever asked refuses (con:OPEN-47). */
export async function lockCredentialGate(tx: FencedTx, generationId: CredentialGenerationId): Promise<CredentialGate | undefined> {
  const row = await tx.lock(LOCK, { generation_id: generationId });
  return row && { generationId, mode: credentialGateMachine.parse(row.mode), fence: row.fence };
}

const FENCES = lockRows(conCredentialGate, ['generation_id', 'fence'], 'WHERE generation_id IN (:generation_id)');

/** The present fences of these generations, their gates locked; a missing one is absent. `generations` is not empty. */
export async function lockCredentialFences(
  tx: FencedTx,
  generations: readonly CredentialGenerationId[],
): Promise<ReadonlyMap<CredentialGenerationId, CredentialFence>> {
  const rows = await tx.lockMany(FENCES, { generation_id: [...new Set(generations)] });
  return new Map(rows.map((row) => [row.generation_id, row.fence]));
}
