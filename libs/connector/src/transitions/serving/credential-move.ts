import type { AccountName, CredentialFence } from '@connector/kernel/brand';
import { invariant } from '@connector/kernel/faults';
import type { CredentialGenerationId, OperationId } from '@connector/kernel/ids';
import type { Statement } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { audit } from '../../fences/audit';
import { readDecision, type CredentialDecision } from '../../fences/credential-decision';
import { lockCredentialGate } from '../../fences/credential-gate';
import { claimOperation, recallOperation } from '../../fences/operation';
import { CREDENTIAL_MODES, type CredentialGateMode, type CredentialVerb } from '../../model/serving/credential-gate';

/** What the two moves of a credential gate have in common: a decision of control that is carried to the gate. */
export interface CredentialMove {
  /** Of the decision: the same one again is the same move (con:OPEN-33). */
  readonly operationId: OperationId;
  readonly generationId: CredentialGenerationId;
  /** The fence that the gate has before; the decision was written for the next one. */
  readonly expectedFence: CredentialFence;
}

/** `fence` is the gate's new one: the expected one and 1 (con:CGATE-M). */
export interface CredentialMoved<Kind extends string> {
  readonly kind: Kind;
  readonly generationId: CredentialGenerationId;
  readonly fence: CredentialFence;
}

export type CredentialRefusal =
  | { readonly kind: 'no-gate' }
  | { readonly kind: 'not-in-mode'; readonly mode: CredentialGateMode }
  | { readonly kind: 'fence-moved'; readonly fence: CredentialFence }
  /** Nobody who may decided this move: control wrote no such decision (con:REV-X). */
  | { readonly kind: 'not-decided' }
  | { readonly kind: 'operation-reused' };

/** One of the two moves, the statement that makes it, and what follows in the same commit. */
export interface CredentialAct<Kind extends string> {
  readonly kind: Kind;
  readonly verb: CredentialVerb;
  readonly statement: Statement;
  readonly then?: (tx: FencedTx, account: AccountName) => Promise<void>;
}

export const MODE_SET =
  'SET mode = :mode.next, fence = :fence.next, changed_at = NOW(6) WHERE generation_id = :generation_id AND mode = :mode AND fence = :fence';

const nextFence = (move: CredentialMove): CredentialFence => (move.expectedFence + 1n) as CredentialFence;

export async function moveCredential<Kind extends string>(
  tx: FencedTx,
  move: CredentialMove,
  act: CredentialAct<Kind>,
): Promise<CredentialMoved<Kind> | CredentialRefusal> {
  const gate = await lockCredentialGate(tx, move.generationId);
  const before = await recallOperation<CredentialMoved<Kind>>(tx, move.operationId);
  if (before !== undefined) return sameMove(before, move);
  if (gate === undefined) return { kind: 'no-gate' };
  if (gate.mode !== CREDENTIAL_MODES[act.verb].from) return { kind: 'not-in-mode', mode: gate.mode };
  if (gate.fence !== move.expectedFence) return { kind: 'fence-moved', fence: gate.fence };
  const decision = await readDecision(tx, move.generationId, nextFence(move));
  if (decision?.operation_id !== move.operationId || decision.verb !== act.verb) return { kind: 'not-decided' };
  return land(tx, move, act, decision);
}

async function land<Kind extends string>(
  tx: FencedTx,
  move: CredentialMove,
  { kind, verb, statement, then }: CredentialAct<Kind>,
  { account, decided_by: by, reason }: CredentialDecision,
): Promise<CredentialMoved<Kind> | CredentialRefusal> {
  const { generationId, operationId } = move;
  const { from, to } = CREDENTIAL_MODES[verb];
  const moved: CredentialMoved<Kind> = { kind, generationId, fence: nextFence(move) };
  const before = await claimOperation(tx, operationId, moved);
  if (before !== undefined) return sameMove(before, move);
  const fences = { fence: move.expectedFence, 'fence.next': moved.fence };
  const landed = await tx.cas(statement, { generation_id: generationId, mode: from, 'mode.next': to, ...fences });
  invariant(landed, 'HOUSE:connector:CasUnexplained', `${tx.door.name} did not land on ${generationId}`);
  await audit(tx, account, [{ credential: generationId, from, to, by, reason, operation: operationId }]);
  await then?.(tx, account);
  return moved;
}

function sameMove<Kind extends string>(
  before: CredentialMoved<Kind>,
  move: CredentialMove,
): CredentialMoved<Kind> | { readonly kind: 'operation-reused' } {
  return before.generationId === move.generationId && before.fence === nextFence(move) ? before : { kind: 'operation-reused' };
}
