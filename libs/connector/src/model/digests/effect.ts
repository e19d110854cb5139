import type { Digest } from '@connector/kernel/digest';
import type { Digested } from '@connector/kernel/digest-profile';
import { EffectGenerationId, OutboundCommandId } from '@connector/kernel/ids';
import { type Identified, identified, profiled } from './profiled';
import { type ApplicationScope, applicationScopeDigest } from './scope';

export interface EffectRootParts {
  readonly applicationScope: Digest;
  readonly originKind: 'execution' | 'root-outbound';
  /** 16 bytes; of an execution, the first of its lineage, so that the root survives a replay (con:IDN-11). */
  readonly originIntentId: Uint8Array;
  readonly intent: string;
}

export function effectRootDigest(root: EffectRootParts): Digested {
  return profiled('effect-root')
    .digest('application_scope', root.applicationScope)
    .text('origin_kind', root.originKind)
    .id('origin_intent_id', root.originIntentId)
    .text('intent', root.intent)
    .build();
}

/** The initial generation of one slot; a successor's id is minted and never comes from here. */
export function effectGenerationDigest(effectRoot: Digest, slot: string): Identified<'EffectGenerationId'> {
  return identified(EffectGenerationId, profiled('effect-generation').digest('effect_root', effectRoot).text('slot', slot).build());
}

export interface LogicalEffectParts {
  readonly applicationScope: Digest;
  readonly effectRoot: Digest;
  readonly slot: string;
  readonly generationId: Uint8Array;
}

/** The whole digest is the IdempotencyKey, its first 16 bytes the OutboundCommand's id (con:IDN-10, con:IDN-12). */
export function logicalEffectDigest(effect: LogicalEffectParts): Identified<'OutboundCommandId'> {
  return identified(
    OutboundCommandId,
    profiled('logical-effect')
      .digest('application_scope', effect.applicationScope)
      .digest('effect_root', effect.effectRoot)
      .text('slot', effect.slot)
      .id('generation_id', effect.generationId)
      .build(),
  );
}

export interface EffectIntent extends Omit<EffectRootParts, 'applicationScope'> {
  readonly slot: string;
}
export interface InitialEffect {
  readonly root: Digested;
  readonly generation: Identified<'EffectGenerationId'>;
  readonly effect: Identified<'OutboundCommandId'>;
}

/** Root, initial generation and key of one intent, all under the one trusted scope: no part of it can come from elsewhere. */
export function initialEffect(scope: ApplicationScope, intent: EffectIntent): InitialEffect {
  const applicationScope = applicationScopeDigest(scope).digest;
  const root = effectRootDigest({ ...intent, applicationScope });
  const generation = effectGenerationDigest(root.digest, intent.slot);
  const generationId = EffectGenerationId.bytes(generation.id);
  const effect = logicalEffectDigest({ applicationScope, effectRoot: root.digest, slot: intent.slot, generationId });
  return { root, generation, effect };
}
