import type { HolderFence } from '@connector/kernel/brand';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conDispatchPermit } from '@connector/schema/connector/outbound';
import { runOutboundCommand } from '@connector/schema/runtime/runtime';
import type { PermitState } from '../../model/outbound/permit';
import { limited } from './limit';

const permit = conDispatchPermit.columns;
const command = runOutboundCommand.columns;
const COLUMNS = {
  permit_id: permit.permit_id,
  effect_id: permit.effect_id,
  attempt_ordinal: permit.attempt_ordinal,
  account: permit.account,
  credential_generation_id: permit.credential_generation_id,
  credential_fence: permit.credential_fence,
  epoch_id: permit.epoch_id,
  epoch_digest: command.epoch_digest,
  pack_generation_storage_id: command.pack_generation_storage_id,
  effect_definition: command.effect_definition,
  definition_version: command.definition_version,
  route_policy_digest: command.route_policy_digest,
  configuration_id: command.configuration_id,
  provider_key: command.provider_key,
  request_digest: permit.request_digest,
  request: command.request,
} as const;

const select = Object.keys(COLUMNS).map((column) => `${column in permit ? 'p' : 'c'}.${column}`);
const ofHolder = (limit: number) =>
  readQuery(
    conDispatchPermit,
    COLUMNS,
    `SELECT ${select.join(', ')} FROM ${conDispatchPermit.name} p JOIN ${runOutboundCommand.name} c ON c.outbound_command_id = p.effect_id
 WHERE p.holder_id = :holder_id AND p.holder_fence = :holder_fence AND p.state = :state ORDER BY p.permit_id ${limited(limit, 100)}`,
    'of-holder',
  );

/** A permit with everything that its one call may depend on, as it was frozen (con:FDB-M). */
export type HolderPermit = ReturnType<ReturnType<typeof ofHolder>['decode']>;

/**
 * The permits of one holder under one fence, at most `limit` (1..100): how an adapter finds what it was granted, whether or not it got
 * the answer (decisions 13.2). Seen without a lock: only `start-sending` lets a byte leave.
 */
export function permitsOfHolder(
  db: Db,
  holder: { readonly holderId: string; readonly holderFence: HolderFence },
  state: PermitState,
  limit: number,
): Promise<readonly HolderPermit[]> {
  return db.read(ofHolder(limit), { holder_id: holder.holderId, holder_fence: holder.holderFence, state });
}
