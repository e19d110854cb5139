import type { Digest } from '@connector/kernel/digest';
import type { ConfigurationId, CredentialGenerationId } from '@connector/kernel/ids';
import type { BindingName } from '../model/digests/binding';
import type { ApplicationScope } from '../model/digests/scope';
import type { ConfigurationAnswer, CredentialAnswer, DefinitionAnswer, OwnerAnswer, ViewAnswer } from '../model/serving/owner-answers';

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

export interface Owners {
  readonly catalog: CatalogViewReader;
  readonly definitions: BindingDefinitionReader;
  readonly configurations: ServiceConfigurationReader;
  readonly credentials: CredentialGenerationReader;
}
