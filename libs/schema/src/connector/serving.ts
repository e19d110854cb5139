import type { AccountName, BarrierHolderFence, ChannelKeyFence, CredentialFence, GateFence } from '@connector/kernel/brand';
import { binary, born, bytes, digest, id, instant, int, name, nullable, u64, word } from '@connector/kernel/column';
import { BindingRowId, CertificateId, ConfigurationId, CredentialGenerationId, EpochId, OperationId } from '@connector/kernel/ids';
import { table } from '@connector/kernel/table';

/** The bytes of an account at most, `<provider>/<tenant>` (decisions 13.22). */
export const ACCOUNT_BYTES = 127;
export const account = () => name<AccountName>(ACCOUNT_BYTES);
export const channel = () => name(63);

/** The singleton that stands for "the set of gates and epochs": locked first by whatever inserts gates or moves epochs. */
export const conService = table('con_service', {
  about: 'One row. No gap locks exist, so whoever changes the set of gates locks this instead.',
  rank: 'service',
  columns: {
    service_key: name(16),
    revision: u64(),
    /** Of the last run that took the owners' publication barriers into its hand; NULL before the first. */
    holder_fence: nullable(u64<BarrierHolderFence>()),
  },
  primary: ['service_key'],
});

/** con:GATE-F: an account's mode, fence and epoch. Born at activation, never deleted; every fenced write locks it first. */
export const conServingGate = table('con_serving_gate', {
  about: 'The account gate: mode, fence, the epoch that it holds still, and who asked for what it does now.',
  rank: 'gate',
  columns: {
    account: account(),
    account_prefix: binary(4),
    mode: word(16),
    fence: u64<GateFence>(),
    epoch_id: id(EpochId),
    epoch_digest: digest(),
    changed_operation: id(OperationId),
    changed_by: name(128),
    reason: name(512),
    changed_at: born(),
  },
  primary: ['account'],
});

/** con:EPOCH-M: the only part of an epoch that moves. Its state changes under every gate that references it. */
export const conEpoch = table('con_epoch', {
  about: 'The epoch header: digest and state.',
  rank: 'epoch',
  columns: { epoch_id: id(EpochId), epoch_digest: digest(), state: word(16), changed_at: born() },
  primary: ['epoch_id'],
});

/** con:EPOCH-F: parts 1 to 3 of the serving-epoch preimage, immutable. */
export const conEpochContent = table('con_epoch_content', {
  about: 'What an epoch froze: the view, the receipts and the service configuration that it names.',
  rank: null,
  columns: {
    epoch_id: id(EpochId),
    epoch_digest: digest(),
    digest_profile: name(64),
    serving_scope: digest(),
    organization_id: name(64),
    app_installation_id: name(64),
    authorized_workload_id: name(128),
    lineage_id: name(64),
    catalog_revision: u64(),
    activation_epoch: u64(),
    source_snapshot_digest: digest(),
    view_digest: digest(),
    view_receipt_protocol: name(64),
    security_epoch: name(32),
    capability_version: name(32),
    configuration_protocol: name(64),
    configuration_receipt_protocol: name(64),
    configuration_id: id(ConfigurationId),
    configuration_digest: digest(),
    configuration_receipt: bytes(1024),
    configuration_receipt_digest: digest(),
    binding_count: int(),
    credential_count: int(),
    prepared_at: born(),
  },
  primary: ['epoch_id'],
});

/** One binding of an epoch with its owner's proof (PRE-21 to PRE-38). */
export const conEpochBinding = table('con_epoch_binding', {
  about: 'The bindings that an epoch froze, in their order, each with its definition proof.',
  rank: null,
  columns: {
    epoch_id: id(EpochId),
    ordinal: int(),
    row_id: id(BindingRowId),
    binding_identity: digest(),
    kind: word(32),
    owner_pack: name(128),
    pack_installation_id: name(64),
    pack_payload_digest: digest(),
    business_key: name(128),
    definition_version: name(32),
    credential_refs: bytes(2048),
    runtime_definition_id: nullable(name(128)),
    runtime_definition_version: nullable(name(32)),
    pack_generation_storage_id: name(64),
    definition_envelope_version: name(16),
    definition_receipt_version: name(16),
    definition_digest: digest(),
    definition_receipt: bytes(4096),
    definition_receipt_digest: digest(),
  },
  primary: ['epoch_id', 'ordinal'],
  unique: { identity: ['epoch_id', 'binding_identity'] },
});

/** One credential generation of an epoch with its owner's proof (PRE-39 to PRE-47). */
export const conEpochCredential = table('con_epoch_credential', {
  about: 'The credential generations that an epoch froze.',
  rank: null,
  columns: {
    epoch_id: id(EpochId),
    ordinal: int(),
    generation_id: id(CredentialGenerationId),
    receipt_protocol: name(64),
    transport_digest: digest(),
    receipt: bytes(4096),
    receipt_digest: digest(),
  },
  primary: ['epoch_id', 'ordinal'],
  unique: { generation: ['epoch_id', 'generation_id'] },
});

/** con:VERI-W: point-in-time evidence of what the owners answered, once per epoch. */
export const conEpochVerification = table('con_epoch_verification', {
  about: 'What the owners answered when the epoch was verified or rejected.',
  rank: null,
  columns: { epoch_id: id(EpochId), operation_id: id(OperationId), verdict: word(16), evidence: bytes(60_000), decided_at: born() },
  primary: ['epoch_id'],
});

/** decisions 10: who began the service without a predecessor, over which accounts and which epoch. */
export const conGenesisCertificate = table('con_genesis_certificate', {
  about: 'The certificate of activate-genesis; one per service for ever.',
  rank: null,
  columns: {
    service_key: name(16),
    certificate_id: id(CertificateId),
    operation_id: id(OperationId),
    epoch_id: id(EpochId),
    epoch_digest: digest(),
    account_set_digest: digest(),
    accounts: bytes(60_000),
    requested_by: name(128),
    reason: name(512),
    capacity: name(128),
    issued_at: born(),
    /** cat:INT-19: the receipts of the barriers under which it was activated; NULL in a certificate from before there were any. */
    catalog_barrier: nullable(bytes(2_048)),
    packs_barrier: nullable(bytes(131_072)),
  },
  primary: ['service_key'],
});

/** con:CGATE-F: whether a credential generation may dispatch. Born with its generation; a missing row fails closed (con:OPEN-47). */
export const conCredentialGate = table('con_credential_gate', {
  about: 'The credential gate: mode and fence of one credential generation.',
  rank: 'cgate',
  columns: { generation_id: id(CredentialGenerationId), mode: word(16), fence: u64<CredentialFence>(), changed_at: born() },
  primary: ['generation_id'],
});

/** decisions 13.10: moved when a channel's verification keys change; ADM rechecks its fence. */
export const conChannelKeyGate = table('con_channel_key_gate', {
  about: 'The channel-key gate: its fence is the revision of the key set that admission may use.',
  rank: 'channel-key-gate',
  columns: { account: account(), channel: channel(), fence: u64<ChannelKeyFence>(), changed_at: born() },
  primary: ['account', 'channel'],
});

/** The key row of writes that have no natural key: an unknown COMMIT is settled by inserting it again (decisions 13.9). */
export const conOperation = table('con_operation', {
  about: 'One row per operation id: which door it opened and what it answered.',
  rank: null,
  columns: { operation_id: id(OperationId), door: word(64), answer: bytes(4096), at: born() },
  primary: ['operation_id'],
});

/** decisions 3.8: one row per (stage, account), born with the gates; finding work costs accounts, never history. */
export const conAccountWork = table('con_account_work', {
  about: 'Which account has work in which stage, and from when.',
  rank: 'work',
  columns: { stage: word(16), account: account(), produced: u64(), due_at: nullable(instant()) },
  primary: ['stage', 'account'],
  index: { due: ['stage', 'due_at'] },
});
