import type { Instant } from '@connector/kernel/brand';
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

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** A time that the database can keep as it is written: a day that no calendar has would become another one. */
export function parseInstant(text: string): Instant {
  const seconds = text.slice(0, 19);
  const time = Date.parse(`${seconds}Z`);
  const real = INSTANT.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(seconds);
  if (!real) throw new InputFault('HOUSE:control:Instant', 'expected RFC 3339 in UTC with six digits, as 2030-01-31T12:00:00.000000Z');
  return text as Instant;
}
