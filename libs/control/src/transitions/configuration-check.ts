import { InputFault } from '@connector/kernel/faults';
import { isAccountName, isChannelName } from '@connector/connector/model/serving/account-name';
import type { AccountConfiguration, ServiceConfiguration } from '../model/documents';
import { parsePolicies } from '../model/policies';

function refuse(at: string, what: string): never {
  throw new InputFault('HOUSE:control:Configuration', `${at}: ${what}`);
}

function checkAccount({ account, channels, routes, policies }: AccountConfiguration): void {
  if (!isAccountName(account)) refuse(account, 'an account is <provider>/<tenant> of a-z, 0-9 and - (decisions 13.22)');
  for (const { channel, route } of channels) {
    if (!isChannelName(channel)) refuse(`${account} ${channel}`, 'a channel is of a-z, 0-9 and -');
    if (!routes.includes(route)) refuse(`${account} ${channel}`, `its route ${route} is not enabled`);
  }
  parsePolicies(policies);
}

/** What no schema says: names are canonical, a channel leads to an enabled route, policies are whole, the relation names known accounts. */
export function checkConfiguration(configuration: ServiceConfiguration): void {
  if (configuration.accounts.length === 0) refuse('accounts', 'none');
  configuration.accounts.forEach(checkAccount);
  const names = new Set(configuration.accounts.map(({ account }) => account));
  for (const { account, credential_ref: ref } of configuration.credential_relation) {
    if (!names.has(account)) refuse('credential_relation', `${account} ${ref}: no such account`);
  }
}
