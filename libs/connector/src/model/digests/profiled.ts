import { DIGEST_PROFILE, DigestBuilder, type Digested } from '@connector/kernel/digest-profile';
import { Digest } from '@connector/kernel/digest';
import type { IdKind, IdName, IdText } from '@connector/kernel/ids';

/** What a Connector digest can mean (digests.md 1). Two meanings never share a word. */
export type Purpose =
  | 'account-set'
  | 'application-scope'
  | 'binding-identity'
  | 'binding-row'
  | 'component'
  | 'dispatch-binding'
  | 'effect-generation'
  | 'effect-root'
  | 'event'
  | 'execution'
  | 'execution-input'
  | 'execution-ref'
  | 'logical-effect'
  | 'ordering-contract'
  | 'ordering-lane'
  | 'projection'
  | 'receipt-payload'
  | 'request'
  | 'route-policy'
  | 'runtime-command'
  | 'serving-epoch'
  | 'serving-scope';

export function profiled(purpose: Purpose): DigestBuilder {
  return new DigestBuilder(DIGEST_PROFILE, purpose);
}

/** A digest whose first 16 bytes are an id: the fact is found again from its content, and a retry is the same fact. */
export interface Identified<Name extends IdName> extends Digested {
  readonly id: IdText<Name>;
}

export function identified<Name extends IdName>(kind: IdKind<Name>, digested: Digested): Identified<Name> {
  return { ...digested, id: kind.of(Digest.bytes(digested.digest).subarray(0, 16)) };
}
