import type { BarrierHolderFence } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import type { AttemptId, ConfigurationId, CredentialGenerationId, EpochId } from '@connector/kernel/ids';
import type { BindingName } from '../model/digests/binding';
import type { ApplicationScope } from '../model/digests/scope';
import type { ConfigurationAnswer, CredentialAnswer, DefinitionAnswer, OwnerAnswer, ViewAnswer } from '../model/serving/owner-answers';
import type { BarrierAnswer, BarrierHolder, FrozenScope, HeldBarrier } from '../model/serving/barriers';
import type { PinAnswer, PinRequest, PinsAnswer } from '../model/serving/pins';

/**
 * Other owners, as the connector asks them (catalog.md B.2). Every reader is exact: it has no "current" variant, save that of the view,
 * whose answer is compared whole (con:DEFN-R, con:SCG-R, con:CRED-R). An adapter answers `unavailable` where it got no answer, and
 * never guesses an absence from an error.
 */
export interface CatalogViewReader {
  /** The complete current view; `not-fresh` where its revision is below the bound. */
  readCurrent(scope: ApplicationScope, minCatalogRevision: bigint): Promise<OwnerAnswer<ViewAnswer> | { readonly kind: 'not-fresh' }>;
}

/** Everything but the payload digest that names one definition. */
export interface BindingIdentity extends ApplicationScope, BindingName {}

export interface BindingDefinitionReader {
  readExact(identity: BindingIdentity, packPayloadDigest: Digest): Promise<OwnerAnswer<DefinitionAnswer>>;
}

export interface ServiceConfigurationReader {
  readExact(id: ConfigurationId): Promise<OwnerAnswer<ConfigurationAnswer>>;
}

export interface CredentialGenerationReader {
  readExact(id: CredentialGenerationId): Promise<OwnerAnswer<CredentialAnswer>>;
}

/** Keeps what an epoch refers to readable (cat:INT-13). Pinning the same again is the same pin. */
export interface GenerationRetention {
  pin(request: PinRequest): Promise<PinAnswer>;
  read(epochId: EpochId): Promise<OwnerAnswer<PinsAnswer>>;
}

/**
 * Holds the authors of an owner off (catalog.md B.5). Holding again for the same attempt is the same hold, with the same receipt, in the hand of
 * whoever asked last under the highest holder fence.
 */
export interface PublicationBarrier {
  acquire(holder: BarrierHolder, frozen: FrozenScope): Promise<BarrierAnswer>;
  /** Everything that the attempt holds, whoever took it. */
  heldBy(
    attemptId: AttemptId,
  ): Promise<{ readonly kind: 'found'; readonly held: readonly HeldBarrier[] } | { readonly kind: 'unavailable' }>;
  /** `stale`: of another hold by now, or in another hand. */
  release(
    held: HeldBarrier,
    holderFence: BarrierHolderFence,
    outcome: string,
  ): Promise<{ readonly kind: 'released' | 'stale' | 'unavailable' }>;
}

/** Those that a candidate is made of. */
export interface OwnerReaders {
  readonly catalog: CatalogViewReader;
  readonly definitions: BindingDefinitionReader;
  readonly configurations: ServiceConfigurationReader;
  readonly credentials: CredentialGenerationReader;
}
export interface Owners extends OwnerReaders {
  readonly retention: GenerationRetention;
  readonly barriers: { readonly catalog: PublicationBarrier; readonly packs: PublicationBarrier };
}
