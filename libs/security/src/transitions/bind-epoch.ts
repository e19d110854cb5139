import type { Digest } from '@connector/kernel/digest';
import { sealJson, type DocumentBytes } from '@connector/kernel/document';
import { invariant } from '@connector/kernel/faults';
import type { OperationId } from '@connector/kernel/ids';
import type { JsonObject } from '@connector/kernel/jcs';
import { readRows, updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { secCommand, secHead, secProjection } from '@connector/schema/security/security';
import { EPOCH_MAX, noAppGrants, noOtherInputs, projectionOf, securityBinding, securityProjection } from '../contract/projection';
import type { HeldHead } from './hold-head';

/** What a command was bound to, the same whenever it comes again (cat:SEC-07). */
export interface BoundEpoch {
  readonly kind: 'bound';
  readonly securityEpoch: bigint;
  readonly projectionDigest: Digest;
  readonly bindingBytes: Buffer;
  readonly bindingDigest: Digest;
}
/** The id of the command has another payload, of whichever organization or door (cat:SEC-08). */
export interface PayloadConflict {
  readonly kind: 'payload-conflict';
}
/** No epoch is above the present one: none is ever used again, and none goes back to 0. */
export interface EpochsExhausted {
  readonly kind: 'epochs-exhausted';
}

export interface Command {
  readonly commandId: OperationId;
  readonly payloadDigest: Digest;
}

const COMMAND = readRows(secCommand, ['organization_id', 'payload_digest', 'security_epoch'], 'WHERE command_id = :command_id');
const AT = 'WHERE organization_id = :organization_id AND security_epoch = :security_epoch';
const BOUND = readRows(secProjection, ['projection_digest', 'binding', 'binding_digest'], AT, 'bound');
const STANDING = readRows(secProjection, ['projection', 'other_inputs'], AT);
const MOVE = updateRows(
  secHead,
  `SET security_epoch = :security_epoch.next, projection_digest = :projection_digest, other_inputs_digest = :other_inputs_digest
   WHERE organization_id = :organization_id AND security_epoch = :security_epoch`,
);

/** Over the whole command with the name of its door, so that an id says one thing for ever. */
export function commandOf(commandId: OperationId, door: string, payload: JsonObject): Command {
  return { commandId, payloadDigest: sealJson('nexuscrm.runtime-security-command.v1', { ...payload, command_id: commandId, door }).digest };
}

/** What an earlier run of this command came to. Commands are insert-only, and the held head keeps another run of this one away. */
export async function boundBefore(tx: FencedTx, { commandId, payloadDigest }: Command): Promise<BoundEpoch | PayloadConflict | undefined> {
  const [known] = await tx.read(COMMAND, { command_id: commandId });
  if (known === undefined) return undefined;
  if (known.payload_digest !== payloadDigest) return { kind: 'payload-conflict' };
  const [row] = await tx.read(BOUND, { organization_id: known.organization_id, security_epoch: known.security_epoch });
  invariant(row !== undefined, 'HOUSE:security:BindingVanished', `${commandId} is bound to an epoch that is not there`);
  return {
    kind: 'bound',
    securityEpoch: known.security_epoch,
    projectionDigest: row.projection_digest,
    bindingBytes: row.binding,
    bindingDigest: row.binding_digest,
  };
}

export interface StandingInputs {
  /** The present App grants under these other inputs. */
  readonly projectionUnder: (otherInputsDigest: Digest) => DocumentBytes;
  readonly otherInputs: Buffer;
}

/** The documents of the present epoch: immutable, and the held head says which epoch is present. */
export async function standingInputs(tx: FencedTx, { organization, securityEpoch }: HeldHead): Promise<StandingInputs> {
  if (securityEpoch === 0n) {
    const none = noAppGrants(organization).bytes;
    return { projectionUnder: (digest) => projectionOf(none, digest), otherInputs: noOtherInputs(organization).bytes };
  }
  const [row] = await tx.read(STANDING, { organization_id: organization, security_epoch: securityEpoch });
  invariant(row !== undefined, 'HOUSE:security:ProjectionVanished', `no projection at the present epoch ${securityEpoch}`);
  const { value } = securityProjection.parse(row.projection);
  return {
    projectionUnder: (digest) => securityProjection.build({ ...value, other_inputs_digest: digest }),
    otherInputs: row.other_inputs,
  };
}

export interface NextEpoch {
  readonly projection: DocumentBytes;
  readonly otherInputs: DocumentBytes;
}

/**
 * The one place where a security epoch is allocated (cat:SEC-03): command, projection with its binding, and the head that names it, in one
 * commit (cat:SEC-06).
 */
export async function bindNext(
  tx: FencedTx,
  head: HeldHead,
  command: Command,
  next: NextEpoch,
): Promise<BoundEpoch | PayloadConflict | EpochsExhausted> {
  if (head.securityEpoch === EPOCH_MAX) return { kind: 'epochs-exhausted' };
  const securityEpoch = head.securityEpoch + 1n;
  const { commandId, payloadDigest } = command;
  const organization = { organization_id: head.organization };
  const row = { command_id: commandId, ...organization, payload_digest: payloadDigest, security_epoch: securityEpoch };
  // Only another organization's command can have taken the id since: it is held by another head.
  if ((await tx.insertNew(secCommand, row)) !== 'inserted') return { kind: 'payload-conflict' };
  const { projection, otherInputs } = next;
  const binding = securityBinding.build({
    schema_version: 'nexuscrm.runtime-security-binding/v1',
    command_id: commandId,
    ...organization,
    security_epoch: securityEpoch.toString(),
    projection_digest: projection.digest,
  });
  await tx.insert(secProjection, [
    {
      ...organization,
      security_epoch: securityEpoch,
      projection: projection.bytes,
      projection_digest: projection.digest,
      other_inputs: otherInputs.bytes,
      binding: binding.bytes,
      binding_digest: binding.digest,
    },
  ]);
  const moved = await tx.cas(MOVE, {
    ...organization,
    security_epoch: head.securityEpoch,
    'security_epoch.next': securityEpoch,
    projection_digest: projection.digest,
    other_inputs_digest: otherInputs.digest,
  });
  invariant(moved, 'HOUSE:security:HeadNotHeld', `the head moved from ${head.securityEpoch} while it was held`);
  return {
    kind: 'bound',
    securityEpoch,
    projectionDigest: projection.digest,
    bindingBytes: binding.bytes,
    bindingDigest: binding.digest,
  };
}
