import type { BindingKind } from '@connector/kernel/document-binding';
import type { Digest } from '@connector/kernel/digest';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { pckDefinition, pckGeneration, pckInstallation } from '@connector/schema/packs/packs';
import { bindingDefinitionDigest, definitionReceipt } from '../model/documents';

export interface DefinitionKey {
  readonly storageId: string;
  readonly kind: BindingKind;
  readonly businessKey: string;
  readonly definitionVersion: string;
}
export interface StoredDefinition {
  readonly bytes: Buffer;
  readonly digest: Digest;
}
export interface StoredGeneration {
  readonly storageId: string;
  readonly ownerPack: string;
  readonly packVersion: string;
  readonly manifest: Buffer;
}

/** catalog.md B.2, without the payload digest. Installation and workload do not select: a definition is the same for all of them. */
export interface BindingIdentity {
  readonly organization: string;
  readonly kind: BindingKind;
  readonly ownerPack: string;
  readonly packInstallation: string;
  readonly businessKey: string;
  readonly definitionVersion: string;
}
export type DefinitionProof =
  | {
      readonly kind: 'found';
      readonly packGenerationStorageId: string;
      readonly definitionEnvelopeVersion: string;
      readonly definitionReceiptVersion: string;
      readonly definitionBytes: Buffer;
      readonly canonicalDefinitionDigest: Digest;
      readonly receiptBytes: Buffer;
      readonly receiptDigest: Digest;
    }
  | { readonly kind: 'absent'; readonly code: 'GENERATION_ABSENT' | 'INSTALLATION_ABSENT' | 'DEFINITION_ABSENT' }
  | { readonly kind: 'mismatch'; readonly code: 'DIGEST_MISMATCH' };

const DEFINITION = readRows(
  pckDefinition,
  ['definition', 'definition_digest'],
  'WHERE storage_id = :storage_id AND kind = :kind AND business_key = :business_key AND definition_version = :definition_version',
);
const GENERATION = readRows(
  pckGeneration,
  ['storage_id', 'owner_pack', 'pack_version', 'manifest'],
  'WHERE payload_digest = :payload_digest',
);
const INSTALLATION = readRows(
  pckInstallation,
  ['pack_installation_id'],
  'WHERE organization_id = :organization_id AND owner_pack = :owner_pack',
);

/** One definition by its whole key; any wrong part finds nothing, never a neighbour (cat:INT-12). */
export async function readDefinition(db: Db, key: DefinitionKey): Promise<StoredDefinition | undefined> {
  const { storageId, kind, businessKey, definitionVersion } = key;
  const name = { kind, business_key: businessKey, definition_version: definitionVersion };
  const row = await db.readOne(DEFINITION, { storage_id: storageId, ...name });
  return row && { bytes: row.definition, digest: row.definition_digest };
}

export async function readGeneration(db: Db, payloadDigest: Digest): Promise<StoredGeneration | undefined> {
  const row = await db.readOne(GENERATION, { payload_digest: payloadDigest });
  return row && { storageId: row.storage_id, ownerPack: row.owner_pack, packVersion: row.pack_version, manifest: row.manifest };
}

/** What the registry proves of one binding (con:DEFN-K): the same facts give the same receipt bytes, now and in ten years (con:DEFN-M). */
export async function readExact(db: Db, identity: BindingIdentity, payloadDigest: Digest): Promise<DefinitionProof> {
  const generation = await readGeneration(db, payloadDigest);
  if (generation === undefined || generation.ownerPack !== identity.ownerPack) {
    return { kind: 'absent', code: 'GENERATION_ABSENT' };
  }
  const installed = await db.readOne(INSTALLATION, { organization_id: identity.organization, owner_pack: identity.ownerPack });
  if (installed?.pack_installation_id !== identity.packInstallation) return { kind: 'absent', code: 'INSTALLATION_ABSENT' };
  const definition = await readDefinition(db, { storageId: generation.storageId, ...identity });
  if (definition === undefined) return { kind: 'absent', code: 'DEFINITION_ABSENT' };
  if (bindingDefinitionDigest(identity.kind, definition.bytes) !== definition.digest) return { kind: 'mismatch', code: 'DIGEST_MISMATCH' };
  return proofOf(generation.storageId, identity, payloadDigest, definition);
}

function proofOf(
  storageId: string,
  identity: BindingIdentity,
  payloadDigest: Digest,
  { bytes, digest }: StoredDefinition,
): DefinitionProof {
  const receipt = definitionReceipt.build({
    receipt_protocol: 'nexuscrm.connector-definition-receipt/v1',
    definition_envelope_version: '1',
    definition_receipt_version: '1',
    pack_generation_storage_id: storageId,
    owner_pack: identity.ownerPack,
    pack_installation_id: identity.packInstallation,
    pack_payload_digest: payloadDigest,
    kind: identity.kind,
    business_key: identity.businessKey,
    definition_version: identity.definitionVersion,
    canonical_definition_digest: digest,
  });
  return {
    kind: 'found',
    packGenerationStorageId: storageId,
    definitionEnvelopeVersion: '1',
    definitionReceiptVersion: '1',
    definitionBytes: bytes,
    canonicalDefinitionDigest: digest,
    receiptBytes: receipt.bytes,
    receiptDigest: receipt.digest,
  };
}
