import type { AccountName, GateFence } from '@connector/kernel/brand';
import { invariant } from '@connector/kernel/faults';
import type { OperationId } from '@connector/kernel/ids';
import type { Statement } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { audit } from '../../fences/audit';
import { claimOperation, recallOperation } from '../../fences/operation';
import type { Gate } from '../../fences/serving-gate';
import type { GateMode } from '../../model/serving/gate';

/** What the three moves of one V2 gate have in common. */
export interface GateMove {
  /** Made before the first try: the same id again is the same move (con:OPEN-33). */
  readonly operationId: OperationId;
  readonly account: AccountName;
  /** The fence that the asker saw. */
  readonly expectedFence: GateFence;
  readonly by: string;
  readonly reason: string;
}

/** `fence` is the gate's new one: the expected one and 1 (con:SM-ALL-02). */
export interface GateMoved<Kind extends string> {
  readonly kind: Kind;
  readonly account: AccountName;
  readonly fence: GateFence;
}

export type GateRefusal =
  | { readonly kind: 'no-gate' }
  | { readonly kind: 'not-in-mode'; readonly mode: GateMode }
  | { readonly kind: 'fence-moved'; readonly fence: GateFence }
  | { readonly kind: 'operation-reused' };

/** The two modes of a move, and the statement that makes it. */
export interface Move<Kind extends string> {
  readonly kind: Kind;
  readonly from: GateMode;
  readonly to: GateMode;
  readonly statement: Statement;
  /** Who and why, where the gate keeps them: the end of a halt leaves standing who asked for it. */
  readonly story: { readonly changed_by: string; readonly reason: string } | Record<never, never>;
}

export const storyOf = ({ by, reason }: GateMove) => ({ changed_by: by, reason });

export const MOVE_WHERE = 'WHERE account = :account AND mode = :mode AND fence = :fence';
export const MODE_SET = 'mode = :mode.next, fence = :fence + 1, changed_operation = :changed_operation, changed_at = NOW(6)';
export const STORY_SET = 'changed_by = :changed_by, reason = :reason';

function nextFence(move: GateMove): GateFence {
  return (move.expectedFence + 1n) as GateFence;
}

/** What this operation answered before, when it did: no write and no other fence follow from asking again. */
export async function recallMove<Kind extends string>(
  tx: FencedTx,
  move: GateMove,
): Promise<GateMoved<Kind> | { readonly kind: 'operation-reused' } | undefined> {
  const before = await recallOperation<GateMoved<Kind>>(tx, move.operationId);
  return before && sameMove(before, move);
}

function sameMove<Kind extends string>(before: GateMoved<Kind>, move: GateMove): GateMoved<Kind> | { readonly kind: 'operation-reused' } {
  return before.account === move.account && before.fence === nextFence(move) ? before : { kind: 'operation-reused' };
}

/** Which clause is false by the locked gate; the gate when none is. */
export function judgeMove(
  gate: Gate | undefined,
  move: GateMove,
  from: GateMode,
): GateRefusal | { readonly kind: 'may'; readonly gate: Gate } {
  if (gate === undefined) return { kind: 'no-gate' };
  if (gate.mode !== from) return { kind: 'not-in-mode', mode: gate.mode };
  return gate.fence === move.expectedFence ? { kind: 'may', gate } : { kind: 'fence-moved', fence: gate.fence };
}

export async function landMove<Kind extends string>(
  tx: FencedTx,
  move: GateMove,
  { kind, from, to, statement, story }: Move<Kind>,
): Promise<GateMoved<Kind> | { readonly kind: 'operation-reused' }> {
  const moved: GateMoved<Kind> = { kind, account: move.account, fence: nextFence(move) };
  // Another gate's lock does not hold this operation back: one id for two gates meets here.
  const before = await claimOperation(tx, move.operationId, moved);
  if (before !== undefined) return sameMove(before, move);
  const landed = await tx.cas(statement, {
    account: move.account,
    mode: from,
    'mode.next': to,
    fence: move.expectedFence,
    changed_operation: move.operationId,
    ...story,
  });
  invariant(landed, 'HOUSE:connector:CasUnexplained', `${tx.door.name} did not land on ${move.account}`);
  await audit(tx, move.account, [{ gate: move.account, from, to, by: move.by, reason: move.reason, operation: move.operationId }]);
  return moved;
}
