import type { Digest } from '@connector/kernel/digest';
import type { Digested } from '@connector/kernel/digest-profile';
import { jcs, type Json } from '@connector/kernel/jcs';
import { profiled } from './profiled';

export function routePolicyDigest(routeIdentity: Digest, account: string, policies: Json): Digested {
  return profiled('route-policy').digest('route_identity', routeIdentity).text('account', account).bytes('policies', jcs(policies)).build();
}

/** The contract as the route definition states it. */
export function orderingContractDigest(contract: Json): Digested {
  return profiled('ordering-contract').bytes('contract', jcs(contract)).build();
}
