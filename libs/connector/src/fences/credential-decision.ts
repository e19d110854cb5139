import type { CredentialFence } from '@connector/kernel/brand';
import type { CredentialGenerationId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { ctlCredentialDecision } from '@connector/schema/control/control';

const DECISION = readRows(
  ctlCredentialDecision,
  ['verb', 'operation_id', 'account', 'decided_by', 'reason'],
  'WHERE generation_id = :generation_id AND fence = :fence',
);
export type CredentialDecision = ReturnType<typeof DECISION.decode>;

/**
 * What L2 decided the gate of this generation is to have at `fence` (con:REV-P, con:REE-P). It is another owner's fact, there is one of a
 * fence, and it never changes; an absent one fails closed.
 */
export async function readDecision(
  tx: FencedTx,
  generationId: CredentialGenerationId,
  fence: CredentialFence,
): Promise<CredentialDecision | undefined> {
  const [row] = await tx.read(DECISION, { generation_id: generationId, fence });
  return row;
}
