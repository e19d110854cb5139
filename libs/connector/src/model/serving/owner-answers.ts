import type { Digest } from '@connector/kernel/digest';
import type { ConfigurationId, CredentialGenerationId } from '@connector/kernel/ids';

/** Whose fact it is. */
export type OwnerName = 'catalog' | 'packs' | 'configuration' | 'credentials';

/**
 * One owner's answer (catalog.md B.2). Unavailable is no statement about the fact; absent and mismatch are authoritative, and a
 * candidate that rests on the fact is rejected (cat:INT-09).
 */
export type OwnerAnswer<T> =
  ({ readonly kind: 'found' } & T) | { readonly kind: 'unavailable' } | { readonly kind: 'absent' | 'mismatch'; readonly code: string };

/** What an epoch is made from. The revision is a lower bound for freshness and selects no history (con:BIND-K). */
export interface EpochQuestion {
  readonly organization: string;
  readonly installation: string;
  readonly workload: string;
  readonly minCatalogRevision: bigint;
  readonly configurationId: ConfigurationId;
}

/** Bytes and digests as their owner gave them; the connector compares them and never makes them again (con:DIG-11). */
export interface ViewAnswer {
  readonly viewBytes: Buffer;
  readonly viewDigest: Digest;
  readonly sourceSnapshotDigest: Digest;
  readonly receiptBytes: Buffer;
  readonly receiptDigest: Digest;
}
export interface DefinitionAnswer {
  readonly packGenerationStorageId: string;
  readonly definitionEnvelopeVersion: string;
  readonly definitionReceiptVersion: string;
  readonly definitionBytes: Buffer;
  readonly canonicalDefinitionDigest: Digest;
  readonly receiptBytes: Buffer;
  readonly receiptDigest: Digest;
}
export interface ConfigurationAnswer {
  readonly documentBytes: Buffer;
  readonly generationDigest: Digest;
  readonly receiptBytes: Buffer;
  readonly receiptDigest: Digest;
}
export interface CredentialAnswer {
  readonly transportDigest: Digest;
  readonly receiptBytes: Buffer;
  readonly receiptDigest: Digest;
}

/** Every owner's answer to one question. */
export interface OwnerAnswers {
  readonly question: EpochQuestion;
  readonly view: ViewAnswer;
  readonly configuration: ConfigurationAnswer;
  /** One for each binding of the view, in its order. */
  readonly definitions: readonly DefinitionAnswer[];
  /** One for each generation that the configuration's relation names, each once. */
  readonly credentials: ReadonlyMap<CredentialGenerationId, CredentialAnswer>;
}

export type AskedOwners =
  | { readonly kind: 'found'; readonly answers: OwnerAnswers }
  | { readonly kind: 'unavailable'; readonly owner: OwnerName }
  | { readonly kind: 'rejected'; readonly owner: OwnerName; readonly code: string };
