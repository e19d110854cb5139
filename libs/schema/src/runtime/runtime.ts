import { born, bytes, digest, id, int, name, nullable, u64, word } from '@connector/kernel/column';
import {
  CommandId,
  ConfigurationId,
  CredentialGenerationId,
  EffectGenerationId,
  EpochId,
  ExecutionId,
  GenerationId,
  OutboundCommandId,
} from '@connector/kernel/ids';
import { table } from '@connector/kernel/table';
import { account } from '../connector/serving';

/**
 * con:RCMD-F: the durable inbox. The ExecutionRef stands here once and nowhere else; acceptance proves nothing (con:INV-24).
 * One command per execution generation, so that one result is all that it can have (con:UNIQ-15).
 */
export const runCommand = table('run_command', {
  about: 'Commands that were handed to the Runtime.',
  rank: 'runtime-command',
  columns: {
    command_id: id(CommandId),
    account: account(),
    execution_ref_digest: digest(),
    execution_id: id(ExecutionId),
    epoch_id: id(EpochId),
    epoch_digest: digest(),
    pack_generation_storage_id: name(64),
    kind: word(32),
    business_key: name(128),
    definition_version: name(32),
    input: bytes(1_048_576),
    input_digest: digest(),
    accepted_at: born(),
    /** The process that took it in hand first: that it is here counts as one start of it. */
    accepted_by: nullable(id(GenerationId)),
  },
  primary: ['command_id'],
  unique: { execution: ['execution_id'] },
});

/**
 * Beside the command, which never changes: the starts of it whose end nobody told, and the process of the last one while its end is open. No row
 * says one start, by the process that accepted it.
 */
export const runCommandStart = table('run_command_start', {
  about: 'How often a process began a command and told no end of it; no row: once, with its acceptance.',
  rank: 'runtime-command',
  columns: { command_id: id(CommandId), starts: int(), started_by: nullable(id(GenerationId)) },
  primary: ['command_id'],
});

/** con:ARES-F: what the application did; once per command, immutable. Why it refused is for people: no document names it, nothing decides by it. */
export const runApplicationResult = table('run_application_result', {
  about: 'The outcome of a command and its commit receipt.',
  rank: null,
  columns: {
    command_id: id(CommandId),
    execution_ref_digest: digest(),
    outcome: word(16),
    reason: nullable(word(32)),
    detail: nullable(name(512)),
    result: bytes(1_000_000),
    result_digest: digest(),
    commit_receipt: bytes(2048),
    commit_receipt_digest: digest(),
    committed_at: born(),
  },
  primary: ['command_id'],
});

/** An application record. A record that was read as absent is held by a row of version 0 (decisions 13.8). */
export const runRecord = table('run_record', {
  about: 'The records of the application, with the version that readers must still find.',
  rank: 'runtime-record',
  columns: { collection: name(64), record_key: name(255), version: u64(), value: nullable(bytes(262_144)) },
  primary: ['collection', 'record_key'],
});

/** The next `feed_seq` of an account's outbound feed; gapless, because it moves in the transaction that uses it. */
export const runFeedHead = table('run_feed_head', {
  about: 'The head of an account’s outbound feed.',
  rank: 'feed-head',
  columns: { account: account(), next_seq: u64() },
  primary: ['account'],
});

/** con:OBC-F, con:FDB-F: what the application wants sent, with everything that dispatch may depend on frozen. */
export const runOutboundCommand = table('run_outbound_command', {
  about: 'Intent to cause one external effect, frozen.',
  rank: null,
  columns: {
    outbound_command_id: id(OutboundCommandId),
    idempotency_key: digest(),
    application_scope: digest(),
    effect_root: digest(),
    effect_slot: name(128),
    effect_generation_id: id(EffectGenerationId),
    intent: name(128),
    account: account(),
    feed_seq: u64(),
    command_id: id(CommandId),
    execution_id: id(ExecutionId),
    epoch_id: id(EpochId),
    epoch_digest: digest(),
    pack_generation_storage_id: name(64),
    pack_payload_digest: digest(),
    effect_definition: name(128),
    definition_version: name(32),
    route_policy_digest: digest(),
    configuration_id: id(ConfigurationId),
    configuration_digest: digest(),
    credential_generation_id: id(CredentialGenerationId),
    digest_profile: name(64),
    request_digest: digest(),
    provider_key: nullable(name(255)),
    binding_digest: digest(),
    request: bytes(262_144),
    request_bytes: int(),
    authored_at: born(),
  },
  primary: ['outbound_command_id'],
  unique: {
    tuple: ['application_scope', 'effect_root', 'effect_slot', 'effect_generation_id'],
    idempotency: ['idempotency_key'],
    feed: ['account', 'feed_seq'],
  },
  index: { by_execution: ['execution_id'] },
});
