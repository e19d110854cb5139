import type { AccountName } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { DIGEST_PROFILE } from '@connector/kernel/digest-profile';
import {
  ConfigurationId,
  CredentialGenerationId,
  EffectGenerationId,
  EpochId,
  ExecutionId,
  type CommandId,
  type OutboundCommandId,
} from '@connector/kernel/ids';
import { jcs } from '@connector/kernel/jcs';
import { dispatchBindingDigest } from '@connector/connector/model/digests/dispatch-binding';
import { initialEffect } from '@connector/connector/model/digests/effect';
import { requestDigest } from '@connector/connector/model/digests/request';
import { applicationScopeDigest, type ApplicationScope } from '@connector/connector/model/digests/scope';

/** The request as the frozen push contract built it; credentials are no part of it. */
export interface BuiltRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  readonly providerKey: string | null;
}

/** What the epoch froze for the effect: the push contract, its pack, the policy, the configuration and the credential. */
export interface FrozenEffect {
  readonly epochId: EpochId;
  readonly epochDigest: Digest;
  readonly packGenerationStorageId: string;
  readonly packPayloadDigest: Digest;
  readonly effectDefinition: string;
  readonly definitionVersion: string;
  readonly routePolicyDigest: Digest;
  readonly configurationId: ConfigurationId;
  readonly configurationDigest: Digest;
  readonly credentialGenerationId: CredentialGenerationId;
}

/** One outbound command, complete but for its place in the feed (con:OBC-F, con:FDB-F). */
export interface AuthoredCommand extends FrozenEffect {
  readonly outboundCommandId: OutboundCommandId;
  readonly idempotencyKey: Digest;
  readonly applicationScope: Digest;
  readonly effectRoot: Digest;
  readonly effectSlot: string;
  readonly effectGenerationId: EffectGenerationId;
  readonly intent: string;
  readonly account: AccountName;
  readonly commandId: CommandId;
  readonly executionId: ExecutionId;
  readonly requestDigest: Digest;
  readonly providerKey: string | null;
  readonly bindingDigest: Digest;
  readonly request: Buffer;
}

export interface Authorship {
  readonly scope: ApplicationScope;
  readonly commandId: CommandId;
  /** The first execution of the lineage: what the effect root is made from, so that it survives a replay. */
  readonly executionId: ExecutionId;
  readonly account: AccountName;
  readonly intent: string;
  readonly slot: string;
}

/** The id of the effect before its request exists: a provider idempotency key may be made from it. */
export function effectOf(authorship: Authorship) {
  const originIntentId = ExecutionId.bytes(authorship.executionId);
  return initialEffect(authorship.scope, { originKind: 'execution', originIntentId, intent: authorship.intent, slot: authorship.slot });
}

/** Freezes everything that dispatch may depend on (con:OAU-W). Pure: the same parts give the same bytes, digests and id. */
export function authorCommand(authorship: Authorship, frozen: FrozenEffect, request: BuiltRequest): AuthoredCommand {
  const effect = effectOf(authorship);
  const digest = requestDigest({ ...request, providerIdempotencyKey: request.providerKey }).digest;
  const binding = dispatchBindingDigest({
    account: authorship.account,
    epochId: EpochId.bytes(frozen.epochId),
    epochDigest: frozen.epochDigest,
    packGenerationStorageId: frozen.packGenerationStorageId,
    packPayloadDigest: frozen.packPayloadDigest,
    effectDefinition: frozen.effectDefinition,
    definitionVersion: frozen.definitionVersion,
    routePolicyDigest: frozen.routePolicyDigest,
    configurationId: ConfigurationId.bytes(frozen.configurationId),
    configurationDigest: frozen.configurationDigest,
    credentialGenerationId: CredentialGenerationId.bytes(frozen.credentialGenerationId),
    requestDigest: digest,
    effectRoot: effect.root.digest,
    effectGenerationId: EffectGenerationId.bytes(effect.generation.id),
    succession: null,
    providerIdempotencyKey: request.providerKey,
  });
  return {
    ...frozen,
    outboundCommandId: effect.effect.id,
    idempotencyKey: effect.effect.digest,
    applicationScope: applicationScopeDigest(authorship.scope).digest,
    effectRoot: effect.root.digest,
    effectSlot: authorship.slot,
    effectGenerationId: effect.generation.id,
    intent: authorship.intent,
    account: authorship.account,
    commandId: authorship.commandId,
    executionId: authorship.executionId,
    requestDigest: digest,
    providerKey: request.providerKey,
    bindingDigest: binding.digest,
    request: requestBytes(request),
  };
}

/** How a request is stored: one JCS document, the body as base64. */
function requestBytes(request: BuiltRequest): Buffer {
  const { method, target, headers, body } = request;
  return jcs({ method, target, headers: headers.map(([name, value]) => [name, value]), body_base64: body.toString('base64') });
}

/** What `requestBytes` stored. */
export function readRequest(bytes: Buffer): Omit<BuiltRequest, 'providerKey'> {
  const stored = JSON.parse(bytes.toString('utf8')) as { method: string; target: string; headers: [string, string][]; body_base64: string };
  return { method: stored.method, target: stored.target, headers: stored.headers, body: Buffer.from(stored.body_base64, 'base64') };
}

export const AUTHORING_PROFILE = DIGEST_PROFILE;
