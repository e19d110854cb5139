import { Ajv } from 'ajv';
import { admitting, closed, DECIMAL, DIGEST, listOf, oneOf, type Shape, TEXT, type TypeOf } from '@connector/kernel/document-shape';
import type { BarrierFence } from '@connector/kernel/brand';
import { AttemptId } from '@connector/kernel/ids';
import type { HeldBarrier } from '@connector/connector/model/serving/barriers';
import type { PinsAnswer } from '@connector/connector/model/serving/pins';
import { PINNED_MAX } from '@connector/packs/model/pins';
import type { ConfigurationAnswer, CredentialAnswer, DefinitionAnswer, ViewAnswer } from '@connector/connector/model/serving/owner-answers';

/**
 * The owners' answers as they come over HTTP. An answer that is not of exactly its shape is of another protocol and counts as none: it is
 * never read as an absence.
 */
const ajv = new Ajv({ strict: true, ownProperties: true });
const BYTES: Shape<string> = { schema: { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' } };

const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64');

function reader<W, T>(shape: Shape<W>, read: (wire: W) => T): (body: unknown) => T | undefined {
  const admits = admitting(ajv, shape);
  return (body) => (admits(body) ? read(body) : undefined);
}

/** What an owner lists at once of the barriers that an attempt holds. */
const HELD_MAX = 100;

const FOUND = oneOf('found');
const view = closed({
  kind: FOUND,
  lineage: closed({ lineage_id: TEXT, catalog_revision: DECIMAL, activation_epoch: DECIMAL }),
  view_base64: BYTES,
  view_digest: DIGEST,
  source_snapshot_digest: DIGEST,
  receipt_base64: BYTES,
  receipt_digest: DIGEST,
});
const definition = closed({
  kind: FOUND,
  pack_generation_storage_id: TEXT,
  definition_envelope_version: TEXT,
  definition_receipt_version: TEXT,
  definition_base64: BYTES,
  canonical_definition_digest: DIGEST,
  receipt_base64: BYTES,
  receipt_digest: DIGEST,
});
const configuration = closed({
  kind: FOUND,
  document_base64: BYTES,
  generation_digest: DIGEST,
  receipt_base64: BYTES,
  receipt_digest: DIGEST,
});
const pinned = closed({ kind: oneOf('pinned') });
const pins = closed({ kind: FOUND, epoch_digest: DIGEST, storage_ids: listOf(TEXT, PINNED_MAX) });
const held = closed({ kind: oneOf('held'), barrier_fence: DECIMAL, receipt_base64: BYTES, receipt_digest: DIGEST });
const heldList = closed({
  kind: FOUND,
  held: listOf(
    closed({ organization: TEXT, attempt_id: TEXT, barrier_fence: DECIMAL, holder_fence: DECIMAL }, { installation: TEXT }),
    HELD_MAX,
  ),
});
const credential = closed({ kind: FOUND, transport_digest: DIGEST, receipt_base64: BYTES, receipt_digest: DIGEST });

interface Receipt {
  readonly receipt_base64: string;
  readonly receipt_digest: TypeOf<typeof DIGEST>;
}
const receiptOf = (wire: Receipt) => ({ receiptBytes: bytesOf(wire.receipt_base64), receiptDigest: wire.receipt_digest });

export const readViewAnswer = reader(view, (wire): ViewAnswer => ({
  viewBytes: bytesOf(wire.view_base64),
  viewDigest: wire.view_digest,
  sourceSnapshotDigest: wire.source_snapshot_digest,
  ...receiptOf(wire),
}));
export const readDefinitionAnswer = reader(definition, (wire): DefinitionAnswer => ({
  packGenerationStorageId: wire.pack_generation_storage_id,
  definitionEnvelopeVersion: wire.definition_envelope_version,
  definitionReceiptVersion: wire.definition_receipt_version,
  definitionBytes: bytesOf(wire.definition_base64),
  canonicalDefinitionDigest: wire.canonical_definition_digest,
  ...receiptOf(wire),
}));
export const readConfigurationAnswer = reader(configuration, (wire): ConfigurationAnswer => ({
  documentBytes: bytesOf(wire.document_base64),
  generationDigest: wire.generation_digest,
  ...receiptOf(wire),
}));
export const readCredentialAnswer = reader(credential, (wire): CredentialAnswer => ({
  transportDigest: wire.transport_digest,
  ...receiptOf(wire),
}));
export const readHeldAnswer = reader(held, (wire) => ({ receiptBytes: bytesOf(wire.receipt_base64) }));
export const readHeldList = reader(heldList, (wire): readonly HeldBarrier[] =>
  wire.held.map(({ organization, installation, attempt_id: attempt, barrier_fence: fence }) => ({
    ...{ organization, ...(installation === undefined ? {} : { installation }) },
    ...{ attemptId: AttemptId.parse(attempt), barrierFence: BigInt(fence) as BarrierFence },
  })),
);
export const readPinned = reader(pinned, () => ({}));
export const readPinsAnswer = reader(pins, (wire): PinsAnswer => ({ epochDigest: wire.epoch_digest, storageIds: wire.storage_ids }));

const REFUSAL: Shape<{ readonly kind: string; readonly code?: string }> = {
  schema: { type: 'object', required: ['kind'], properties: { kind: { type: 'string' }, code: { type: 'string', maxLength: 128 } } },
};
/** A refusal by its kind; a problem document has none, so that an unknown path or a drain is never an absence. */
export const readRefusal = reader(REFUSAL, ({ kind, code = 'UNNAMED' }) => ({ kind, code }));
