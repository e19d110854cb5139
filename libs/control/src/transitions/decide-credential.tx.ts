/**
 * decide-credential: a credential generation may dispatch no more, or may again
 *
 * why     L2 decides and the connector's gate obeys (con:CGATE-W): this row is the authority that REV and REE ask for. It is written for the
 *         gate's next fence, so of each fence there is one decision, in order, and whoever dies before carrying it leaves it to be carried.
 * paths   decide-credential
 * fence   the credential gate, locked, in the mode that the verb needs and under the fence that the asker saw; no decision waits to be
 *         carried; the revocation that stands is not final (con:REE-P).
 * again   The operation id: the decision that stands is the answer.
 */
import type { AccountName, CredentialFence } from '@connector/kernel/brand';
import { invariant } from '@connector/kernel/faults';
import type { CredentialGenerationId, OperationId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import { lockCredentialGate, type CredentialGate } from '@connector/connector/fences/credential-gate';
import { CREDENTIAL_MODES, type CredentialGateMode, type CredentialVerb } from '@connector/connector/model/serving/credential-gate';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { ctlCredentialDecision, ctlCredentialGeneration } from '@connector/schema/control/control';
import { controlDoors } from '../model/paths';

export interface DecideCredential {
  readonly operationId: OperationId;
  readonly generationId: CredentialGenerationId;
  readonly verb: CredentialVerb;
  /** The fence of the gate that the asker saw. */
  readonly expectedFence: CredentialFence;
  /** A revocation that nobody may take back; of a reenablement it says nothing and is false. */
  readonly final: boolean;
  readonly by: string;
  readonly reason: string;
}

/** What is carried to the gate: `fence` is the one that it then has. */
export interface StandingDecision {
  readonly operationId: OperationId;
  readonly generationId: CredentialGenerationId;
  readonly verb: string;
  readonly fence: CredentialFence;
  readonly account: AccountName;
}

export type DecidedCredential =
  | { readonly kind: 'decided' | 'already-decided'; readonly decision: StandingDecision }
  /** Somebody else's decision of this generation waits to be carried to its gate. */
  | { readonly kind: 'other-decision-waits'; readonly decision: StandingDecision }
  | { readonly kind: 'no-gate' }
  | { readonly kind: 'not-in-mode'; readonly mode: CredentialGateMode }
  | { readonly kind: 'fence-moved'; readonly fence: CredentialFence }
  | { readonly kind: 'revocation-is-final' }
  | { readonly kind: 'operation-reused' };

const STANDING = readRows(
  ctlCredentialDecision,
  ['operation_id', 'generation_id', 'verb', 'fence', 'final', 'account'],
  'WHERE operation_id = :operation_id OR (generation_id = :generation_id AND fence IN (:fence)) LIMIT 3',
);
const ACCOUNT = readRows(ctlCredentialGeneration, ['account'], 'WHERE generation_id = :generation_id', 'account');

export function decideCredential(db: Db, input: DecideCredential): Promise<DecidedCredential> {
  return db.fenced(controlDoors['decide-credential'], async (tx) => {
    const { operationId, generationId } = input;
    const gate = await lockCredentialGate(tx, generationId);
    if (gate === undefined) return { kind: 'no-gate' };
    const fences = [gate.fence, nextOf(gate.fence)];
    const rows = await tx.read(STANDING, { operation_id: operationId, generation_id: generationId, fence: fences });
    const mine = rows.find((row) => row.operation_id === operationId);
    if (mine !== undefined) return sameDecision(mine, input);
    return refusal(gate, rows, input) ?? decide(tx, input);
  });
}

type Standing = ReturnType<typeof STANDING.decode>;
const nextOf = (fence: CredentialFence): CredentialFence => (fence + 1n) as CredentialFence;

function standingOf({ operation_id: operationId, generation_id: generationId, verb, fence, account }: Standing): StandingDecision {
  return { operationId, generationId, verb, fence, account };
}

function sameDecision(row: Standing, { generationId, verb, expectedFence, final }: DecideCredential): DecidedCredential {
  const same = row.generation_id === generationId && row.verb === verb && row.fence === nextOf(expectedFence) && row.final === final;
  return same ? { kind: 'already-decided', decision: standingOf(row) } : { kind: 'operation-reused' };
}

/** Which clause is false by the locked gate and the decisions that stand; undefined where none is. */
function refusal(
  gate: CredentialGate,
  rows: readonly Standing[],
  { verb, expectedFence }: DecideCredential,
): DecidedCredential | undefined {
  const waiting = rows.find((row) => row.fence === nextOf(gate.fence));
  if (waiting !== undefined) return { kind: 'other-decision-waits', decision: standingOf(waiting) };
  if (gate.mode !== CREDENTIAL_MODES[verb].from) return { kind: 'not-in-mode', mode: gate.mode };
  if (gate.fence !== expectedFence) return { kind: 'fence-moved', fence: gate.fence };
  const isFinal = rows.some((row) => row.fence === gate.fence && row.final);
  return verb === 'reenable' && isFinal ? { kind: 'revocation-is-final' } : undefined;
}

async function decide(tx: FencedTx, input: DecideCredential): Promise<DecidedCredential> {
  const { operationId, generationId, verb, final, by, reason } = input;
  const [generation] = await tx.read(ACCOUNT, { generation_id: generationId });
  invariant(generation !== undefined, 'HOUSE:control:GenerationMissing', `${generationId} has a gate and was never authored`);
  const decision = { operationId, generationId, verb, fence: nextOf(input.expectedFence), account: generation.account };
  // Whoever decides of this generation holds its gate, so only another generation's decision can have the operation id.
  const inserted = await tx.insertNew(ctlCredentialDecision, {
    generation_id: generationId,
    fence: decision.fence,
    verb,
    final,
    operation_id: operationId,
    account: generation.account,
    decided_by: by,
    reason,
  });
  return inserted === 'inserted' ? { kind: 'decided', decision } : { kind: 'operation-reused' };
}
