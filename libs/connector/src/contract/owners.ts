import type { Digest } from '@connector/kernel/digest';
import type { ConfigurationId, CredentialGenerationId, EpochId } from '@connector/kernel/ids';
import type { BindingName } from '../model/digests/binding';
import type { ApplicationScope } from '../model/digests/scope';
import type { ConfigurationAnswer, CredentialAnswer, DefinitionAnswer, OwnerAnswer, ViewAnswer } from '../model/serving/owner-answers';
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

/** Those that a candidate is made of. */
export interface OwnerReaders {
  readonly catalog: CatalogViewReader;
  readonly definitions: BindingDefinitionReader;
  readonly configurations: ServiceConfigurationReader;
  readonly credentials: CredentialGenerationReader;
}
export interface Owners extends OwnerReaders {
  readonly retention: GenerationRetention;
}
