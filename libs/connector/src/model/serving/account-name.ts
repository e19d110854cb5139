import type { AccountName } from '@connector/kernel/brand';
import { InputFault } from '@connector/kernel/faults';

const FORM = /^[a-z0-9-]{1,63}\/[a-z0-9-]{1,63}$/;
const CHANNEL = /^[a-z0-9-]{1,63}$/;

export function isAccountName(text: string): text is AccountName {
  return FORM.test(text);
}

/** `<provider>/<tenant>` (decisions 13.22); refused where it is not canonical, never folded. */
export function parseAccountName(text: string): AccountName {
  if (!isAccountName(text)) throw new InputFault('HOUSE:connector:AccountName', 'expected two names of a-z, 0-9 and - with / between');
  return text;
}

export function isChannelName(text: string): boolean {
  return CHANNEL.test(text);
}
