/**
 * PREP prepare-epoch: a complete candidate, stored inert as `prepared`
 *
 * why     What an epoch serves is frozen before anybody verifies it; nothing refers to a candidate until it is active.
 * paths   prepare-epoch
 * fence   the primary key of the header; a gate for every credential generation (they are never deleted, so a plain look may decide)
 * again   The epoch id: the same content again is `already-prepared`, other content under it `conflicting-epoch`.
 */
import type { Digest } from '@connector/kernel/digest';
import { DIGEST_PROFILE, type Digested } from '@connector/kernel/digest-profile';
import { invariant } from '@connector/kernel/faults';
import { BindingRowId, ConfigurationId, CredentialGenerationId, EpochId } from '@connector/kernel/ids';
import { jcs } from '@connector/kernel/jcs';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conCredentialGate, conEpoch, conEpochBinding, conEpochContent, conEpochCredential } from '@connector/schema/connector/serving';
import { READ_EPOCH } from '../../fences/serving-gate';
import { servingEpochDigest } from '../../model/digests/serving-epoch';
import type { EpochDefect } from '../../model/digests/serving-epoch.check';
import type { BindingPart, CredentialProof, DefinitionProof, ServingEpochParts } from '../../model/digests/serving-epoch.parts';
import { connectorDoors } from '../../model/paths';
import { epochMachine, type EpochState } from '../../model/serving/epoch';

export interface PrepareEpoch {
  /** The profile that the author means; only V2 may author (con:DIG-06). null: none, the unprofiled form. */
  readonly digestProfile: string | null;
  readonly parts: ServingEpochParts;
}

export type PreparedEpoch =
  | { readonly kind: 'prepared'; readonly epochDigest: Digest }
  | { readonly kind: 'already-prepared'; readonly epochDigest: Digest; readonly state: EpochState }
  | { readonly kind: 'conflicting-epoch'; readonly epochDigest: Digest }
  | { readonly kind: 'profile-refused' }
  | { readonly kind: 'incomplete'; readonly reason: EpochDefect; readonly at: number }
  | { readonly kind: 'too-large'; readonly rows: number; readonly rowsMax: number }
  | { readonly kind: 'credential-gate-missing'; readonly generations: readonly CredentialGenerationId[] };

/** Rows of one door at most (decisions 3.6). */
const ROWS_MAX = 2000;
const PRESENT = readRows(conCredentialGate, ['generation_id'], 'WHERE generation_id IN (:generation_id)', 'present');

export async function prepareEpoch(db: Db, { digestProfile, parts }: PrepareEpoch): Promise<PreparedEpoch> {
  if (digestProfile !== DIGEST_PROFILE) return { kind: 'profile-refused' };
  const digested = servingEpochDigest(parts);
  if (digested.kind === 'refused') return { kind: 'incomplete', reason: digested.reason, at: digested.at };
  const rows = parts.bindings.length + parts.credentials.length;
  if (rows > ROWS_MAX) return { kind: 'too-large', rows, rowsMax: ROWS_MAX };
  return db.fenced(connectorDoors['prepare-epoch'], (tx) => store(tx, parts, digested));
}

async function store(tx: FencedTx, parts: ServingEpochParts, { digest, profile }: Digested): Promise<PreparedEpoch> {
  const generations = await withoutGate(tx, parts.credentials);
  if (generations.length > 0) return { kind: 'credential-gate-missing', generations };
  const epochId = EpochId.of(parts.epochId);
  const header = { epoch_id: epochId, epoch_digest: digest, state: epochMachine.initial };
  if ((await tx.insertNew(conEpoch, header)) !== 'inserted') return standing(tx, epochId, digest);
  await tx.insert(conEpochContent, [contentRow(epochId, parts, digest, profile)]);
  await tx.insert(conEpochBinding, bindingRows(epochId, parts));
  await tx.insert(conEpochCredential, credentialRows(epochId, parts.credentials));
  return { kind: 'prepared', epochDigest: digest };
}

async function withoutGate(tx: FencedTx, credentials: readonly CredentialProof[]): Promise<readonly CredentialGenerationId[]> {
  const wanted = credentials.map((proof) => CredentialGenerationId.of(proof.generationId));
  if (wanted.length === 0) return [];
  const present = new Set((await tx.read(PRESENT, { generation_id: wanted })).map((row) => row.generation_id));
  return wanted.filter((id) => !present.has(id));
}

async function standing(tx: FencedTx, epochId: EpochId, digest: Digest): Promise<PreparedEpoch> {
  const [row] = await tx.read(READ_EPOCH, { epoch_id: epochId });
  invariant(row !== undefined, 'HOUSE:connector:EpochVanished', `${epochId} was there and is not`);
  if (row.epoch_digest !== digest) return { kind: 'conflicting-epoch', epochDigest: row.epoch_digest };
  return { kind: 'already-prepared', epochDigest: digest, state: epochMachine.parse(row.state) };
}

function contentRow(
  epochId: EpochId,
  { servingScope, catalog, configuration, bindings, credentials }: ServingEpochParts,
  digest: Digest,
  profile: string,
) {
  return {
    epoch_id: epochId,
    epoch_digest: digest,
    digest_profile: profile,
    serving_scope: servingScope,
    organization_id: catalog.organization,
    app_installation_id: catalog.installation,
    authorized_workload_id: catalog.workload,
    lineage_id: catalog.lineage.lineageId,
    catalog_revision: catalog.lineage.catalogRevision,
    activation_epoch: catalog.lineage.activationEpoch,
    source_snapshot_digest: catalog.sourceSnapshotDigest,
    view_digest: catalog.viewDigest,
    view_receipt_protocol: catalog.receiptProtocol,
    security_epoch: catalog.securityEpoch,
    capability_version: catalog.capabilityVersion,
    configuration_protocol: configuration.generationProtocol,
    configuration_receipt_protocol: configuration.receiptProtocol,
    configuration_id: ConfigurationId.of(configuration.generationId),
    configuration_digest: configuration.generationDigest,
    configuration_receipt: Buffer.from(configuration.receipt),
    configuration_receipt_digest: configuration.receiptDigest,
    binding_count: bindings.length,
    credential_count: credentials.length,
  };
}

function bindingRows(epochId: EpochId, { bindings, proofs }: ServingEpochParts) {
  return bindings.flatMap((binding, at) => proofs.slice(at, at + 1).map((proof) => bindingRow(epochId, binding, proof)));
}

function bindingRow(epochId: EpochId, binding: BindingPart, proof: DefinitionProof) {
  return {
    epoch_id: epochId,
    ordinal: binding.ordinal,
    row_id: BindingRowId.of(binding.rowId),
    binding_identity: binding.identity,
    kind: binding.kind,
    owner_pack: binding.ownerPack,
    pack_installation_id: binding.packInstallation,
    pack_payload_digest: binding.packPayloadDigest,
    business_key: binding.businessKey,
    definition_version: binding.definitionVersion,
    credential_refs: jcs([...binding.credentialRefs]),
    runtime_definition_id: binding.runtimeCommand?.definitionId ?? null,
    runtime_definition_version: binding.runtimeCommand?.version ?? null,
    pack_generation_storage_id: proof.packGenerationStorageId,
    definition_envelope_version: proof.envelopeVersion,
    definition_receipt_version: proof.receiptVersion,
    definition_digest: proof.definitionDigest,
    definition_receipt: Buffer.from(proof.receipt),
    definition_receipt_digest: proof.receiptDigest,
  };
}

function credentialRows(epochId: EpochId, credentials: readonly CredentialProof[]) {
  return credentials.map((proof) => ({
    epoch_id: epochId,
    ordinal: proof.ordinal,
    generation_id: CredentialGenerationId.of(proof.generationId),
    receipt_protocol: proof.receiptProtocol,
    transport_digest: proof.transportDigest,
    receipt: Buffer.from(proof.receipt),
    receipt_digest: proof.receiptDigest,
  }));
}
