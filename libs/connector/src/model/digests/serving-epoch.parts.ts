import type { Digest } from '@connector/kernel/digest';
import type { Lineage } from '@connector/kernel/digest-profile';
import type { BindingName } from './binding';
import type { ApplicationScope } from './scope';

/** The closed content of a serving epoch (con:PRE-02 to con:PRE-47). Ids have 16 bytes; owners' receipts and digests are opaque. */
export interface ServingEpochParts {
  readonly epochId: Uint8Array;
  readonly servingScope: Digest;
  readonly catalog: CatalogPart;
  readonly configuration: ConfigurationPart;
  readonly bindings: readonly BindingPart[];
  /** One for each binding, in the same order. */
  readonly proofs: readonly DefinitionProof[];
  /** One for each generation that the configuration names, in ascending order of the raw id. */
  readonly credentials: readonly CredentialProof[];
}

export interface CatalogPart extends ApplicationScope {
  readonly lineage: Lineage;
  readonly sourceSnapshotDigest: Digest;
  readonly viewDigest: Digest;
  readonly receiptProtocol: string;
  /** As the receipt repeats it. */
  readonly receiptLineage: Lineage;
  readonly securityEpoch: string;
  readonly capabilityVersion: string;
}

export interface ConfigurationPart {
  readonly generationProtocol: string;
  readonly receiptProtocol: string;
  readonly generationId: Uint8Array;
  readonly generationDigest: Digest;
  readonly receipt: Uint8Array;
  readonly receiptDigest: Digest;
  /** The generations that its credential relation names; several references may name one. Not hashed itself: the proofs must equal it. */
  readonly credentialGenerations: readonly Uint8Array[];
}

export interface BindingPart extends BindingName {
  readonly ordinal: number;
  readonly rowId: Uint8Array;
  readonly identity: Digest;
  readonly packPayloadDigest: Digest;
  /** In bytewise order. */
  readonly credentialRefs: readonly string[];
  readonly runtimeCommand: { readonly definitionId: string; readonly version: string } | null;
}

export interface DefinitionProof {
  /** The binding and the payload that the reader proved. */
  readonly identity: Digest;
  readonly packPayloadDigest: Digest;
  readonly packGenerationStorageId: string;
  readonly envelopeVersion: string;
  readonly receiptVersion: string;
  readonly definitionDigest: Digest;
  readonly receipt: Uint8Array;
  readonly receiptDigest: Digest;
}

export interface CredentialProof {
  readonly ordinal: number;
  readonly generationId: Uint8Array;
  readonly receiptProtocol: string;
  readonly transportDigest: Digest;
  readonly receipt: Uint8Array;
  readonly receiptDigest: Digest;
}
