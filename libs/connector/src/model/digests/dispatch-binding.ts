import type { Digest } from '@connector/kernel/digest';
import { DIGEST_PROFILE, type Digested } from '@connector/kernel/digest-profile';
import { profiled } from './profiled';

/** Why a successor effect may exist: who allowed it, and what it follows. Both or neither. */
export interface Succession {
  readonly authorizationId: Uint8Array;
  readonly predecessorLogicalEffect: Digest;
}

/** All that is frozen when an effect is prepared. Ids have 16 bytes. */
export interface DispatchBindingParts {
  readonly account: string;
  readonly epochId: Uint8Array;
  readonly epochDigest: Digest;
  readonly packGenerationStorageId: string;
  readonly packPayloadDigest: Digest;
  /** Its business key. */
  readonly effectDefinition: string;
  readonly definitionVersion: string;
  readonly routePolicyDigest: Digest;
  readonly configurationId: Uint8Array;
  readonly configurationDigest: Digest;
  readonly credentialGenerationId: Uint8Array;
  readonly requestDigest: Digest;
  readonly effectRoot: Digest;
  readonly effectGenerationId: Uint8Array;
  readonly succession: Succession | null;
  readonly providerIdempotencyKey: string | null;
}

/** FrozenDispatchBinding. The profile id stands beside the request digest that was made under it (con:DIG-17). */
export function dispatchBindingDigest(binding: DispatchBindingParts): Digested {
  return profiled('dispatch-binding')
    .text('account', binding.account)
    .id('epoch_id', binding.epochId)
    .digest('epoch_digest', binding.epochDigest)
    .text('pack_generation_storage_id', binding.packGenerationStorageId)
    .digest('pack_payload_digest', binding.packPayloadDigest)
    .text('effect_definition', binding.effectDefinition)
    .text('definition_version', binding.definitionVersion)
    .digest('route_policy_digest', binding.routePolicyDigest)
    .id('configuration_id', binding.configurationId)
    .digest('configuration_digest', binding.configurationDigest)
    .id('credential_generation_id', binding.credentialGenerationId)
    .text('profile', DIGEST_PROFILE)
    .digest('request_digest', binding.requestDigest)
    .digest('effect_root', binding.effectRoot)
    .id('effect_generation_id', binding.effectGenerationId)
    .opt('succession', binding.succession, (writer, succession) =>
      writer.id('authorization_id', succession.authorizationId).digest('predecessor_logical_effect', succession.predecessorLogicalEffect),
    )
    .optText('provider_idempotency_key', binding.providerIdempotencyKey)
    .build();
}
