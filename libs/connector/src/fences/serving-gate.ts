import type { AccountName, GateFence } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import type { EpochId } from '@connector/kernel/ids';
import { lockRows, readRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conEpoch, conServingGate } from '@connector/schema/connector/serving';
import { epochMachine } from '../model/serving/epoch';
import { gateMachine, type GateMode } from '../model/serving/gate';

/** What a caller saw of a gate when it began its work: its work is void when the gate has moved since. */
export interface GateBasis {
  readonly account: AccountName;
  readonly fence: GateFence;
  readonly epochId: EpochId;
  readonly epochDigest: Digest;
}

export interface Gate extends GateBasis {
  readonly mode: GateMode;
  readonly accountPrefix: Buffer;
}

export type NotServing =
  | { readonly kind: 'not-serving'; readonly mode: GateMode | 'no-gate' }
  | { readonly kind: 'epoch-not-active'; readonly state: string }
  | { readonly kind: 'fence-moved'; readonly fence: GateFence };

/** Asked for only if free, and not free. */
export type GateBusy = { readonly kind: 'gate-busy' };

export type ServingGate = { readonly kind: 'serving'; readonly gate: Gate } | NotServing;

const GATE = ['account', 'account_prefix', 'mode', 'fence', 'epoch_id', 'epoch_digest'] as const;
export const LOCK_GATE = lockRows(conServingGate, GATE, 'WHERE account = :account');
const LOCK_IF_FREE = lockRows(conServingGate, GATE, 'WHERE account = :account', { nowait: true });
export const READ_EPOCH = readRows(conEpoch, ['epoch_id', 'epoch_digest', 'state'], 'WHERE epoch_id = :epoch_id');

/** The gate row, locked; undefined for an account that has none, and then nothing is locked. */
export async function lockGate(tx: FencedTx, account: AccountName): Promise<Gate | undefined> {
  const row = await tx.lock(LOCK_GATE, { account });
  return row && gateOf(row);
}

function gateOf(row: ReturnType<typeof LOCK_GATE.decode>): Gate {
  return {
    account: row.account,
    mode: gateMachine.parse(row.mode),
    fence: row.fence,
    epochId: row.epoch_id,
    epochDigest: row.epoch_digest,
    accountPrefix: row.account_prefix,
  };
}

/**
 * The standard fence (decisions 3.1): mode, fence, epoch id and digest from the locking read of the gate; the fence equal to the
 * one that the caller's work was based on; then the epoch's header, `active` with an equal digest. That last read is plain and may
 * decide, because an epoch changes state only under every gate that references it.
 */
export async function lockServingGate(tx: FencedTx, basis: GateBasis): Promise<ServingGate> {
  return judgeGate(tx, basis, await lockGate(tx, basis.account));
}

/** The standard fence for whoever has other accounts to go to: a gate that somebody holds is `gate-busy` (decisions 3.8). */
export async function takeServingGate(tx: FencedTx, basis: GateBasis): Promise<ServingGate | GateBusy> {
  const row = await tx.lockIfFree(LOCK_IF_FREE, { account: basis.account });
  if (row === 'busy') return { kind: 'gate-busy' };
  return judgeGate(tx, basis, row && gateOf(row));
}

async function judgeGate(tx: FencedTx, basis: GateBasis, gate: Gate | undefined): Promise<ServingGate> {
  if (gate === undefined) return { kind: 'not-serving', mode: 'no-gate' };
  if (gate.mode !== 'v2_serving') return { kind: 'not-serving', mode: gate.mode };
  if (gate.fence !== basis.fence || gate.epochDigest !== basis.epochDigest) return { kind: 'fence-moved', fence: gate.fence };
  const refused = await epochRefusal(tx, gate);
  return refused ?? { kind: 'serving', gate };
}

/** Why the epoch that a held gate names does not serve; undefined when it does. */
export async function epochRefusal(tx: FencedTx, gate: Gate): Promise<NotServing | undefined> {
  const [epoch] = await tx.read(READ_EPOCH, { epoch_id: gate.epochId });
  if (epoch === undefined) return { kind: 'epoch-not-active', state: 'absent' };
  const state = epochMachine.parse(epoch.state);
  if (state !== 'active') return { kind: 'epoch-not-active', state };
  invariant(epoch.epoch_digest === gate.epochDigest, 'HOUSE:connector:EpochDigest', `gate of ${gate.account} and its epoch disagree`);
  return undefined;
}
