import { born, bytes, digest, flag, id, instant, int, name, nullable, u64, word } from '@connector/kernel/column';
import { ConfigurationId, CredentialGenerationId, GenerationId, IsolationId, OperationId, TerminationId } from '@connector/kernel/ids';
import type { ChannelKeyFence, CredentialFence } from '@connector/kernel/brand';
import { table } from '@connector/kernel/table';
import { account, channel } from '../connector/serving';

/** con:SCG-F: a tenant configuration generation as its canonical bytes, with its byte-stable receipt. */
export const ctlServiceConfiguration = table('ctl_service_configuration', {
  about: 'Service configuration generations.',
  rank: null,
  columns: {
    generation_id: id(ConfigurationId),
    generation_digest: digest(),
    document: bytes(1_000_000),
    receipt: bytes(1024),
    receipt_digest: digest(),
    authored_by: name(128),
    authored_at: born(),
  },
  primary: ['generation_id'],
  unique: { digest: ['generation_digest'] },
});

/** con:CRED-F: a credential generation: what it is for and which immutable secret version it uses. Never secret bytes. */
export const ctlCredentialGeneration = table('ctl_credential_generation', {
  about: 'Credential generations, by reference to a fixed secret version.',
  rank: null,
  columns: {
    generation_id: id(CredentialGenerationId),
    credential_identity: name(128),
    provider: name(128),
    account: account(),
    secret_path: name(255),
    secret_version: name(64),
    transport: bytes(4096),
    transport_digest: digest(),
    receipt: bytes(4096),
    receipt_digest: digest(),
    authored_at: born(),
  },
  primary: ['generation_id'],
  unique: { secret: ['account', 'credential_identity', 'secret_version'] },
});

/**
 * con:REV-P, con:REE-P: who decided that a credential generation may dispatch no more, or may again, and why. `fence` is the one that the
 * credential gate has once the decision is carried to it, so of each fence there is one decision and each is carried once.
 */
export const ctlCredentialDecision = table('ctl_credential_decision', {
  about: 'Decisions to revoke and to reenable a credential generation, each carried to its gate.',
  rank: null,
  columns: {
    generation_id: id(CredentialGenerationId),
    fence: u64<CredentialFence>(),
    verb: word(16),
    /** Of a revocation that nobody may take back. */
    final: flag(),
    operation_id: id(OperationId),
    account: account(),
    decided_by: name(128),
    reason: name(512),
    decided_at: born(),
  },
  primary: ['generation_id', 'fence'],
  unique: { operation: ['operation_id'] },
});

/** decisions 13.10: what one secret version is for. Its first use decides for ever, in the commit that uses it. */
export const ctlSecretUse = table('ctl_secret_use', {
  about: 'Whether a secret version is a credential or a channel key; never both.',
  rank: null,
  columns: { secret_path: name(255), secret_version: name(64), used_as: word(16), first_used_at: born() },
  primary: ['secret_path', 'secret_version'],
});

/** The revision of a channel's key set: raised by every added or retired key, then carried to the channel-key gate. */
export const ctlChannelKeySet = table('ctl_channel_key_set', {
  about: 'The revision of the verification keys of one channel.',
  rank: 'owner',
  columns: { account: account(), channel: channel(), revision: u64<ChannelKeyFence>() },
  primary: ['account', 'channel'],
});

/** decisions 13.10: an immutable key version. After `ends_at` by the database's clock it verifies nothing. */
export const ctlChannelKey = table('ctl_channel_key', {
  about: 'Verification key versions of a channel, by reference to a fixed secret version.',
  rank: null,
  columns: {
    account: account(),
    channel: channel(),
    key_version: int(),
    scheme: word(32),
    secret_path: name(255),
    secret_version: name(64),
    added_revision: u64<ChannelKeyFence>(),
    ends_at: nullable(instant()),
    added_at: born(),
  },
  primary: ['account', 'channel', 'key_version'],
});

export const ctlChannelKeyRetirement = table('ctl_channel_key_retirement', {
  about: 'Key versions that no longer verify.',
  rank: null,
  columns: {
    account: account(),
    channel: channel(),
    key_version: int(),
    retired_revision: u64<ChannelKeyFence>(),
    reason: name(512),
    retired_at: born(),
  },
  primary: ['account', 'channel', 'key_version'],
});

/** con:TERM-F: a supervisor's word that one process generation ended and will not be started again. */
export const ctlTermination = table('ctl_termination', {
  about: 'Termination receipts of process generations.',
  rank: 'owner',
  columns: {
    generation_id: id(GenerationId),
    termination_id: id(TerminationId),
    service: word(32),
    supervisor: name(128),
    evidence: bytes(4096),
    recorded_at: born(),
  },
  primary: ['generation_id'],
  unique: { id: ['termination_id'] },
});

/** con:ISO-F: an egress controller's word that one process generation can reach no provider any more. */
export const ctlIsolation = table('ctl_isolation', {
  about: 'Isolation receipts of process generations.',
  rank: 'owner',
  columns: {
    generation_id: id(GenerationId),
    isolation_id: id(IsolationId),
    controller: name(128),
    evidence: bytes(4096),
    recorded_at: born(),
  },
  primary: ['generation_id'],
  unique: { id: ['isolation_id'] },
});
