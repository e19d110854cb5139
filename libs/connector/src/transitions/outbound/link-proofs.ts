/** What confirmed effects proved of remote records, and the links that may stand in the way. */
import type { AccountName } from '@connector/kernel/brand';
import { name } from '@connector/kernel/column';
import type { EffectId, OutboundCommandId } from '@connector/kernel/ids';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conEffectEvidence, conRemoteLink } from '@connector/schema/connector/outbound';
import { runOutboundCommand } from '@connector/schema/runtime/runtime';
import { ownerSlot } from '../../model/outbound/link';
import { effectOf } from './create-effects.step';

const EVIDENCE = readRows(
  conEffectEvidence,
  ['effect_id', 'attempt_ordinal', 'remote_identity'],
  "WHERE effect_id IN (:effect_id) AND outcome = 'remote_confirmed'",
);
const SLOTS = readRows(
  runOutboundCommand,
  ['outbound_command_id', 'effect_root', 'effect_slot'],
  'WHERE outbound_command_id IN (:outbound_command_id)',
);
const TAKEN = readQuery(
  conRemoteLink,
  { slot: name(255), remote: name(255) },
  `SELECT active_slot AS slot, active_remote AS remote FROM ${conRemoteLink.name} WHERE account = :account AND active_slot IN (:active_slot)
 UNION SELECT active_slot, active_remote FROM ${conRemoteLink.name} WHERE account = :account AND active_remote IN (:active_remote)`,
);

/** One local place and the remote record that belongs to it. */
export interface Link {
  readonly slot: string;
  readonly remote: string;
}
/** The confirming evidence of an effect's last attempt; `link` is null where it names no remote record. */
export interface Proof {
  readonly link: Link | null;
}

interface Confirmed {
  readonly effect_id: EffectId;
  readonly outbound_command_id: OutboundCommandId;
  readonly attempt_count: number;
}

/** Evidence and commands never change once they are there, so both are read plainly. */
export async function readProofs(tx: FencedTx, effects: readonly Confirmed[]): Promise<ReadonlyMap<EffectId, Proof>> {
  if (effects.length === 0) return new Map();
  const evidence = await tx.read(EVIDENCE, { effect_id: effects.map((effect) => effect.effect_id) });
  const commands = await tx.read(SLOTS, { outbound_command_id: effects.map((effect) => effect.outbound_command_id) });
  const slots = new Map(commands.map((row) => [effectOf(row.outbound_command_id), ownerSlot(row.effect_root, row.effect_slot)]));
  const attempts = new Map(effects.map((effect) => [effect.effect_id, effect.attempt_count]));
  const last = evidence.filter((row) => row.attempt_ordinal === attempts.get(row.effect_id));
  return new Map(last.map((row) => [row.effect_id, { link: linkOf(slots.get(row.effect_id), row.remote_identity) }]));
}

const linkOf = (slot: string | undefined, remote: string | null): Link | null =>
  slot === undefined || remote === null ? null : { slot, remote };

/** Active links that hold either side of one of these. */
export async function linksInTheWay(tx: FencedTx, account: AccountName, links: readonly Link[]): Promise<readonly Link[]> {
  if (links.length === 0) return [];
  return tx.read(TAKEN, { account, active_slot: links.map((link) => link.slot), active_remote: links.map((link) => link.remote) });
}
