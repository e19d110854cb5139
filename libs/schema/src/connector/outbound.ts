import type { CredentialFence, GateFence, HolderFence } from '@connector/kernel/brand';
import { born, bytes, digest, flag, id, instant, int, name, nullable, u64, word } from '@connector/kernel/column';
import {
  CredentialGenerationId,
  EffectId,
  EpochId,
  GenerationId,
  IsolationId,
  LinkId,
  OutboundCommandId,
  PermitId,
  SendToken,
  TerminationId,
} from '@connector/kernel/ids';
import { table } from '@connector/kernel/table';
import { account } from './serving';

/** con:OPEN-29: an egress adapter that may hold permits. Its fence rises with every registration. */
export const conEgressHolder = table('con_egress_holder', {
  about: 'Egress adapters by name, with the fence of the process that holds the name now.',
  rank: 'holder',
  columns: { holder_id: name(64), fence: u64<HolderFence>(), generation_id: id(GenerationId), registered_at: born() },
  primary: ['holder_id'],
});

/** Which process generation had which holder fence: what a termination receipt is compared with. */
export const conEgressHolderGeneration = table('con_egress_holder_generation', {
  about: 'Every registration of an egress adapter.',
  rank: null,
  columns: { holder_id: name(64), fence: u64<HolderFence>(), generation_id: id(GenerationId), registered_at: born() },
  primary: ['holder_id', 'fence'],
  unique: { generation: ['generation_id'] },
});

/** How far the Runtime's outbound feed of an account has become effects. Born with the gate. */
export const conEffectFeed = table('con_effect_feed', {
  about: 'The next feed sequence to turn into an effect, per account.',
  rank: 'feed-head',
  columns: { account: account(), next_seq: u64() },
  primary: ['account'],
});

/**
 * con:REFF-F: the sole lifecycle authority of one outbound command. Its id is the command's 16 bytes (con:REFF-K, con:UNIQ-17).
 * `ready_account` is set while `prepared`, `finalize_account` while `remote_confirmed`, `uncertain_account` while `uncertain`: each of them
 * keeps an index that holds no history.
 */
export const conRemoteEffect = table('con_remote_effect', {
  about: 'The external side effect of one outbound command, and how far it is.',
  rank: 'effect',
  columns: {
    effect_id: id(EffectId),
    outbound_command_id: id(OutboundCommandId),
    account: account(),
    logical_effect_digest: digest(),
    epoch_id: id(EpochId),
    epoch_digest: digest(),
    credential_generation_id: id(CredentialGenerationId),
    request_digest: digest(),
    state: word(24),
    reason: nullable(word(48)),
    attempt_count: int(),
    ready_account: nullable(account()),
    finalize_account: nullable(account()),
    due_at: born(),
    created_at: born(),
    changed_at: born(),
    uncertain_account: nullable(account()),
  },
  primary: ['effect_id'],
  unique: { command: ['outbound_command_id'] },
  index: {
    ready: ['ready_account', 'due_at', 'effect_id'],
    finalize: ['finalize_account', 'effect_id'],
    by_account: ['account', 'created_at'],
    uncertain: ['uncertain_account', 'created_at'],
  },
});

/** con:EATT-F: one try of an effect with the references that were frozen in its command; append-only. */
export const conEffectAttempt = table('con_effect_attempt', {
  about: 'One try of an effect.',
  rank: null,
  columns: {
    effect_id: id(EffectId),
    ordinal: int(),
    epoch_id: id(EpochId),
    route_policy_digest: digest(),
    request_digest: digest(),
    credential_generation_id: id(CredentialGenerationId),
    claimed_at: born(),
  },
  primary: ['effect_id', 'ordinal'],
});

/**
 * con:PRMT-F: the one-shot right to one provider call. `open_account` is set from grant to close: an account cannot become
 * `v2_halted` while a row carries it (decisions 13.15). Never expires.
 */
export const conDispatchPermit = table('con_dispatch_permit', {
  about: 'The right to one provider call, and what became of it.',
  rank: 'permit',
  columns: {
    permit_id: id(PermitId),
    effect_id: id(EffectId),
    attempt_ordinal: int(),
    account: account(),
    open_account: nullable(account()),
    epoch_id: id(EpochId),
    gate_fence: u64<GateFence>(),
    credential_generation_id: id(CredentialGenerationId),
    credential_fence: u64<CredentialFence>(),
    request_digest: digest(),
    holder_id: name(64),
    holder_fence: u64<HolderFence>(),
    state: word(16),
    send_token: nullable(id(SendToken)),
    io_may_have_started: flag(),
    granted_at: born(),
    sending_at: nullable(instant()),
    closed_at: nullable(instant()),
  },
  primary: ['permit_id'],
  unique: { attempt: ['effect_id', 'attempt_ordinal'] },
  index: { open: ['open_account', 'permit_id'], by_holder: ['holder_id', 'holder_fence', 'state'], by_account: ['account', 'granted_at'] },
});

/** con:SETL-W, con:ABN-W: what is known of one permit's call, written once when the permit closes. */
export const conEffectEvidence = table('con_effect_evidence', {
  about: 'What the provider answered, or why nobody knows.',
  rank: null,
  columns: {
    permit_id: id(PermitId),
    effect_id: id(EffectId),
    attempt_ordinal: int(),
    source: word(16),
    outcome: word(24),
    io_started: flag(),
    status: nullable(int()),
    remote_identity: nullable(name(255)),
    detail: name(512),
    answer: nullable(bytes(65_536)),
    evidence_digest: digest(),
    /** Milliseconds until the effect may be tried again; null where this evidence licenses no further attempt. */
    retry_ms: nullable(int()),
    termination_id: nullable(id(TerminationId)),
    isolation_id: nullable(id(IsolationId)),
    recorded_at: born(),
  },
  primary: ['permit_id'],
  index: { by_effect: ['effect_id', 'attempt_ordinal'] },
});

/** con:LINK-F: a proven remote identity and the local slot that it belongs to; one active link on each side (con:OPEN-27). */
export const conRemoteLink = table('con_remote_link', {
  about: 'Which remote record is which of ours.',
  rank: 'link',
  columns: {
    link_id: id(LinkId),
    account: account(),
    effect_id: id(EffectId),
    owner_slot: name(255),
    remote_identity: name(255),
    state: word(16),
    active_slot: nullable(name(255)),
    active_remote: nullable(name(255)),
    linked_at: born(),
  },
  primary: ['link_id'],
  unique: { slot: ['account', 'active_slot'], remote: ['account', 'active_remote'] },
  index: { by_effect: ['effect_id'] },
});
