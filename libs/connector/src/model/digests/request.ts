import type { Digested } from '@connector/kernel/digest-profile';
import { compareTuples } from '@connector/kernel/document-order';
import { InputFault } from '@connector/kernel/faults';
import { profiled } from './profiled';

/** A provider request before its credential is put in: the digest must not depend on a secret, nor give one away. */
export interface CanonicalRequest {
  /** Upper case. */
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Name in lower case and value; in any order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  readonly providerIdempotencyKey: string | null;
}

function refuseNotCanonical(request: CanonicalRequest): void {
  const cased = request.method !== request.method.toUpperCase() || request.headers.some(([name]) => name !== name.toLowerCase());
  if (cased) throw new InputFault('HOUSE:connector:RequestNotCanonical', 'the method is in upper case, header names in lower case');
}

/** con:DIG-17 */
export function requestDigest(request: CanonicalRequest): Digested {
  refuseNotCanonical(request);
  return profiled('request')
    .text('method', request.method)
    .text('target', request.target)
    .list('headers', [...request.headers].sort(compareTuples), (writer, [name, value]) => writer.text('name', name).text('value', value))
    .bytes('body', request.body)
    .optText('provider_idempotency_key', request.providerIdempotencyKey)
    .build();
}
