/**
 * FIN finalize-effects: effects remote_confirmed → finalized, with the link that they proved
 *
 * why     What the provider proved is finished on our side, without another call (con:CRASH-24); a remote record gets one place of ours.
 * paths   finalize-effects
 * fence   effect `remote_confirmed` with confirming evidence of its last attempt; both sides of its link free. Legal in every mode of
 *         the gate, which is not looked at. The account's finalize work row is locked, so that finalizers of one account take turns and
 *         the links that are read stay as they are.
 * again   Same operation id: the answer that it stored. A finalized effect answers `finalized`, a refused link `link-conflict`.
 */
import type { AccountName } from '@connector/kernel/brand';
import { invariant } from '@connector/kernel/faults';
import { type EffectId, LinkId, type OperationId } from '@connector/kernel/ids';
import { lockRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conRemoteEffect, conRemoteLink } from '@connector/schema/connector/outbound';
import { conAccountWork } from '@connector/schema/connector/serving';
import { audit } from '../../fences/audit';
import { claimItems, recallItems } from '../../fences/operation';
import { effectMachine, type EffectState } from '../../model/outbound/effect';
import { connectorDoors } from '../../model/paths';
import { mustLand } from './effect-moves';
import { linksInTheWay, type Link, readProofs, type Proof } from './link-proofs';

export const FINALIZE_MAX = 50;
/** The reason of an effect whose link would contradict another; it stays `remote_confirmed` until somebody decides (con:FIN-X). */
export const LINK_CONFLICT = 'LINK_CONFLICT';

export interface FinalizeBatch {
  readonly operationId: OperationId;
  readonly account: AccountName;
  /** 1..50. */
  readonly effectIds: readonly EffectId[];
}

export type FinalizeEffect =
  | { readonly kind: 'finalized' }
  | { readonly kind: 'link-conflict' }
  | { readonly kind: 'proof-missing' }
  | { readonly kind: 'not-confirmed'; readonly state: EffectState }
  | { readonly kind: 'not-found' };

const SEEN = lockRows(
  conRemoteEffect,
  ['effect_id', 'outbound_command_id', 'account', 'state', 'reason', 'attempt_count'],
  'WHERE effect_id IN (:effect_id)',
);
const TURN = lockRows(conAccountWork, ['produced'], "WHERE stage = 'finalize' AND account = :account");
const FINALIZE = updateRows(
  conRemoteEffect,
  `SET state = 'finalized', finalize_account = NULL, changed_at = NOW(6)
 WHERE effect_id IN (:effect_id) AND state = 'remote_confirmed' AND finalize_account = :finalize_account`,
  'finalize',
);
const CONFLICT = updateRows(
  conRemoteEffect,
  `SET reason = '${LINK_CONFLICT}', finalize_account = NULL, changed_at = NOW(6)
 WHERE effect_id IN (:effect_id) AND state = 'remote_confirmed' AND finalize_account = :finalize_account`,
  'conflict',
);

/** Answers per effect, in order. */
export function finalizeEffects(db: Db, batch: FinalizeBatch): Promise<readonly FinalizeEffect[]> {
  invariant(batch.effectIds.length <= FINALIZE_MAX, 'HOUSE:connector:FinalizeLimit', `at most ${FINALIZE_MAX} effects an operation`);
  return db.fenced(connectorDoors['finalize-effects'], async (tx) => {
    const rows = await tx.lockMany(SEEN, { effect_id: batch.effectIds });
    const turn = await tx.lock(TURN, { account: batch.account });
    invariant(turn !== undefined, 'HOUSE:connector:WorkRowMissing', `${batch.account} has no finalize work row`);
    const before = await recallItems<FinalizeEffect>(tx, batch.operationId, batch.effectIds);
    if (before !== undefined) return before;
    const judged = await judgeAll(tx, batch, rows);
    const moves = judged.filter((verdict) => verdict.kind === 'move');
    const answers = judged.map((verdict) => (verdict.kind === 'move' ? { kind: verdict.to } : verdict));
    if (moves.length === 0) return answers;
    const faster = await claimItems<FinalizeEffect>(tx, batch.operationId, batch.effectIds, answers);
    if (faster !== undefined) return faster;
    await land(tx, batch.account, moves);
    return answers;
  });
}

type Seen = ReturnType<typeof SEEN.decode>;
interface Move {
  readonly kind: 'move';
  readonly to: 'finalized' | 'link-conflict';
  readonly effectId: EffectId;
  /** The link to write; null where there is none, or where it stands already. */
  readonly link: Link | null;
}

async function judgeAll(
  tx: FencedTx,
  { account, effectIds }: FinalizeBatch,
  rows: readonly Seen[],
): Promise<readonly (FinalizeEffect | Move)[]> {
  const held = new Map(rows.filter((row) => row.account === account).map((row) => [row.effect_id, row]));
  const proofs = await readProofs(
    tx,
    [...held.values()].filter((row) => row.state === 'remote_confirmed'),
  );
  const wanted = [...proofs.values()].map(({ link }) => link).filter((link) => link !== null);
  const places = new Places(await linksInTheWay(tx, account, wanted));
  return effectIds.map((effectId) => judge(effectId, held.get(effectId), proofs.get(effectId), places));
}

/** Which clause is false for this effect; a move where none is. */
function judge(effectId: EffectId, row: Seen | undefined, proof: Proof | undefined, places: Places): FinalizeEffect | Move {
  if (row === undefined) return { kind: 'not-found' };
  const state = effectMachine.parse(row.state);
  if (state === 'finalized') return { kind: 'finalized' };
  if (state !== 'remote_confirmed') return { kind: 'not-confirmed', state };
  if (row.reason === LINK_CONFLICT) return { kind: 'link-conflict' };
  if (proof === undefined) return { kind: 'proof-missing' };
  const { link } = proof;
  const place = link === null ? 'linked' : places.take(link);
  return { kind: 'move', to: place === 'conflict' ? 'link-conflict' : 'finalized', effectId, link: place === 'free' ? link : null };
}

/** Both sides of the active links, with those that this batch adds: of two effects that want one place the first has it. */
class Places {
  readonly #remoteOf: Map<string, string>;
  readonly #slotOf: Map<string, string>;

  constructor(taken: readonly Link[]) {
    this.#remoteOf = new Map(taken.map(({ slot, remote }) => [slot, remote]));
    this.#slotOf = new Map(taken.map(({ slot, remote }) => [remote, slot]));
  }

  /** con:OPEN-27: unique on each side. The very same pair is no conflict and no second link. */
  take({ slot, remote }: Link): 'free' | 'linked' | 'conflict' {
    if (this.#remoteOf.get(slot) === remote) return 'linked';
    if (this.#remoteOf.has(slot) || this.#slotOf.has(remote)) return 'conflict';
    this.#remoteOf.set(slot, remote);
    this.#slotOf.set(remote, slot);
    return 'free';
  }
}

async function land(tx: FencedTx, account: AccountName, moves: readonly Move[]): Promise<void> {
  await tx.insert(
    conRemoteLink,
    moves.flatMap(({ effectId, link }) => (link === null ? [] : [linkRow(account, effectId, link)])),
  );
  const to = (what: Move['to']): readonly EffectId[] => moves.filter((move) => move.to === what).map(({ effectId }) => effectId);
  const finalized = to('finalized');
  const conflicting = to('link-conflict');
  if (finalized.length > 0) mustLand(await tx.update(FINALIZE, { effect_id: finalized, finalize_account: account }), finalized);
  if (conflicting.length > 0) mustLand(await tx.update(CONFLICT, { effect_id: conflicting, finalize_account: account }), conflicting);
  await audit(
    tx,
    account,
    moves.map((move) => ({ effect: move.effectId, from: 'remote_confirmed', to: move.to, link: move.link === null ? 'none' : 'made' })),
  );
}

function linkRow(account: AccountName, effectId: EffectId, { slot, remote }: Link) {
  return {
    link_id: LinkId.mint(),
    account,
    effect_id: effectId,
    owner_slot: slot,
    remote_identity: remote,
    state: 'active',
    active_slot: slot,
    active_remote: remote,
  };
}
