import { RECORD_KEY_BYTES_MAX } from '@connector/runtime/model/application';

/**
 * The key of an account's record of an outside id. Accounts share collections and their ids may be equal; as a list the two parts stay
 * apart whatever is in them (con:IDN-01). Undefined where the id is too long to be a key.
 */
export function recordKey(account: string, id: string): string | undefined {
  const key = JSON.stringify([account, id]);
  return Buffer.byteLength(key) <= RECORD_KEY_BYTES_MAX ? key : undefined;
}
