import { InputFault } from '@connector/kernel/faults';
import { isChannelName, parseAccountName } from '@connector/connector/model/serving/account-name';
import { serviceConfiguration, type ServiceConfiguration } from '@connector/control/model/documents';
import type { ChannelName } from '@connector/control/transitions/channel-key-set';

/** The document whole and of its shape, before anything looks into it; InputFault otherwise. Its sets come back in their order. */
export function parseConfiguration(sent: object): ServiceConfiguration {
  const { bytes } = serviceConfiguration.build(sent as ServiceConfiguration);
  return serviceConfiguration.parse(bytes).value;
}

export function parseChannel({ account, channel }: { readonly account: string; readonly channel: string }): ChannelName {
  if (!isChannelName(channel)) throw new InputFault('HOUSE:control:ChannelName', 'a channel is of a-z, 0-9 and -');
  return { account: parseAccountName(account), channel };
}
