import type { AccountName } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import type { ConfigurationId, CredentialGenerationId, EpochId } from '@connector/kernel/ids';
import type { ApplicationScope } from '@connector/connector/model/digests/scope';
import type { RouteRef } from '@connector/connector/model/inbound/delivery';
import type { Policies } from '@connector/control/model/policies';
import type { Callout } from '@connector/packs/engine/callout';
import type { Push } from '@connector/packs/engine/push';
import type { Route } from '@connector/packs/engine/route';

/** One route as the epoch froze it, with the mapping that the account chose. */
export interface RouteView {
  readonly ref: RouteRef;
  readonly route: Route;
  readonly orderingContractDigest: Digest;
  /** The Runtime tuple of its binding: which handler runs. */
  readonly handler: { readonly definitionId: string; readonly version: string };
}

export interface ChannelView {
  readonly channel: string;
  readonly scheme: string;
  readonly route: RouteView;
}

/** One push contract with its callout profile; `credentialRef` is the profile's. */
export interface PushView {
  readonly packGenerationStorageId: string;
  readonly packPayloadDigest: Digest;
  readonly businessKey: string;
  readonly definitionVersion: string;
  readonly identity: Digest;
  readonly push: Push;
  readonly callout: Callout;
}

export interface AccountView {
  readonly account: AccountName;
  readonly providerOrganization: string;
  readonly policies: Policies;
  channel(name: string): ChannelView | undefined;
  /** Which generation a credential reference means for this account: total and single-valued in the configuration (con:SCG-K). */
  credential(ref: string): CredentialGenerationId | undefined;
}

/** Everything that an epoch froze, compiled. A part that the epoch does not have is undefined; there is no other place to look (con:INV-06). */
export interface EpochView {
  readonly epochId: EpochId;
  readonly epochDigest: Digest;
  readonly scope: ApplicationScope;
  readonly configurationId: ConfigurationId;
  readonly configurationDigest: Digest;
  readonly accounts: readonly AccountName[];
  account(name: string): AccountView | undefined;
  route(businessKey: string, definitionVersion: string): RouteView | undefined;
  push(businessKey: string): PushView | undefined;
}
