import { type BindingKind } from '@connector/kernel/document-binding';
import { inKeyOrder } from '@connector/kernel/document-order';
import { BINDING_KIND, closed, COUNT, DIGEST, listOf, oneOf, TEXT, type TypeOf, UUID } from '@connector/kernel/document-shape';
import { type DocumentBytes, documentDigest, documentKind, sealJson } from '@connector/kernel/document';
import type { Digest } from '@connector/kernel/digest';
import type { JsonObject } from '@connector/kernel/jcs';

/** The pack registry's documents (digests.md 2). Connector takes their bytes and digests as they are (con:DIG-11). */
const DEFINITION = 'nexuscrm.connector-binding-definition.v1';

/** A definition under its kind's name: the same bytes as another kind are another definition. Its shape is checked by its kind's schema. */
export function buildBindingDefinition(kind: BindingKind, definition: JsonObject): DocumentBytes {
  return sealJson(DEFINITION, definition, kind);
}

/** `canonical_definition_digest` of bytes as they were stored. */
export function bindingDefinitionDigest(kind: BindingKind, bytes: Uint8Array): Digest {
  return documentDigest(DEFINITION, bytes, kind);
}

const packManifestShape = closed({
  schema_version: oneOf('nexuscrm.connector-pack/v1'),
  owner_pack: TEXT,
  /** A label for people; never an identity. */
  pack_version: TEXT,
  definitions: listOf(
    closed({ kind: BINDING_KIND, business_key: TEXT, definition_version: TEXT, canonical_definition_digest: DIGEST }),
    10_000,
  ),
  extensions: listOf(closed({ name: TEXT, raw_sha256: DIGEST, byte_length: COUNT }), 100),
});
export type PackManifest = TypeOf<typeof packManifestShape>;

/** Its digest is the PackPayloadDigest, the identity of a pack generation. */
export const packManifest = documentKind<PackManifest>({
  name: 'pack manifest',
  separator: 'nexuscrm.connector-pack-payload.v1',
  shape: packManifestShape,
  arrange: (manifest) => ({
    ...manifest,
    definitions: inKeyOrder(manifest.definitions, (entry) => [entry.kind, entry.business_key, entry.definition_version]),
    extensions: inKeyOrder(manifest.extensions, (extension) => [extension.name]),
  }),
});

const definitionReceiptShape = closed({
  receipt_protocol: oneOf('nexuscrm.connector-definition-receipt/v1'),
  definition_envelope_version: oneOf('1'),
  definition_receipt_version: oneOf('1'),
  pack_generation_storage_id: UUID,
  owner_pack: TEXT,
  pack_installation_id: TEXT,
  pack_payload_digest: DIGEST,
  kind: BINDING_KIND,
  business_key: TEXT,
  definition_version: TEXT,
  canonical_definition_digest: DIGEST,
});
export type DefinitionReceipt = TypeOf<typeof definitionReceiptShape>;

/** What the registry says about one definition of one generation: no time, no nonce, so the same facts give the same bytes (con:DEFN-F). */
export const definitionReceipt = documentKind<DefinitionReceipt>({
  name: 'definition receipt',
  separator: 'nexuscrm.connector-definition-receipt.v1',
  shape: definitionReceiptShape,
});
