import type { Digest } from '@connector/kernel/digest';
import { documentDigest } from '@connector/kernel/document';
import { InputFault } from '@connector/kernel/faults';
import { jcs, type Json } from '@connector/kernel/jcs';

/** One asking of one caller: sent again under its key it is the same asking, and is answered as the first time (decisions 12.7). */
export interface RequestKey {
  readonly caller: string;
  /** The caller's own, 1 to 128 visible ASCII characters. */
  readonly key: string;
  /** What was asked, whole: another asking under a used key is refused. */
  readonly digest: Digest;
}

const KEY = /^[\x21-\x7e]{1,128}$/;

/** `asked` is the door and everything that it is told. InputFault `HOUSE:catalog:RequestKey` where the key is none. */
export function requestOf(caller: string, key: string, asked: Json): RequestKey {
  if (!KEY.test(key)) throw new InputFault('HOUSE:catalog:RequestKey', 'an Idempotency-Key has 1 to 128 visible ASCII characters');
  return { caller, key, digest: documentDigest('nexuscrm.catalog-request.v1', jcs(asked)) };
}
