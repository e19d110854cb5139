import type { Digested } from '@connector/kernel/digest-profile';
import { inTextOrder } from '@connector/kernel/document-order';
import { profiled } from './profiled';

/** Whom the application is: trusted, never from a caller (con:IDN-10). */
export interface ApplicationScope {
  readonly organization: string;
  readonly installation: string;
  readonly workload: string;
}
export interface ServingScope extends ApplicationScope {
  readonly environment: string;
  readonly service: string;
}

/** con:OPEN-05 */
export function servingScopeDigest(scope: ServingScope): Digested {
  return profiled('serving-scope')
    .text('environment', scope.environment)
    .text('service', scope.service)
    .text('organization', scope.organization)
    .text('installation', scope.installation)
    .text('workload', scope.workload)
    .build();
}

export function applicationScopeDigest(scope: ApplicationScope): Digested {
  return profiled('application-scope')
    .text('organization', scope.organization)
    .text('installation', scope.installation)
    .text('workload', scope.workload)
    .build();
}

/** A set: any order of the same accounts is the same digest, an account given twice is an InputFault. */
export function accountSetDigest(accounts: readonly string[]): Digested {
  return profiled('account-set')
    .list('accounts', inTextOrder(accounts), (writer, account) => writer.text('account', account))
    .build();
}
