import type { GateFence } from '@connector/kernel/brand';
import { born, bytes, digest, id, instant, int, name, nullable, u64, word } from '@connector/kernel/column';
import { CommandId, EpochId, ExecutionId, LaneId, ProjectionId } from '@connector/kernel/ids';
import { table } from '@connector/kernel/table';
import { orderBytes } from './ordering';
import { account } from './serving';

/**
 * con:EXE-F: one execution generation. Identity and input never change; `state`, `due_at` and the counters do.
 * `ready_account` is NULL once finished, so the ready index holds no history (decisions 3.8); `awaiting_account` is set while a
 * claimed execution owes a result; `active_projection` makes two active generations of a projection impossible (con:UNIQ-14).
 * One that belongs to a lane has no `ready_account`: its lane is what is due. `open_lane` is set until it is finished.
 */
export const conExecution = table('con_execution', {
  about: 'What the application has to do about one projection, and how far that is.',
  rank: 'execution',
  columns: {
    execution_id: id(ExecutionId),
    account: account(),
    projection_id: id(ProjectionId),
    generation: int(),
    active_projection: nullable(id(ProjectionId)),
    epoch_id: id(EpochId),
    epoch_digest: digest(),
    pack_generation_storage_id: name(64),
    kind: word(32),
    business_key: name(128),
    definition_version: name(32),
    input_digest: digest(),
    execution_ref_digest: digest(),
    command_id: id(CommandId),
    state: word(24),
    reason: nullable(word(48)),
    attempt_count: int(),
    ready_account: nullable(account()),
    awaiting_account: nullable(account()),
    due_at: born(),
    minted_at: born(),
    finished_at: nullable(instant()),
    lane_id: nullable(id(LaneId)),
    open_lane: nullable(id(LaneId)),
    source_position: nullable(orderBytes()),
    tie_breaker: nullable(orderBytes()),
  },
  primary: ['execution_id'],
  unique: { active: ['active_projection'], command: ['command_id'] },
  index: {
    ready: ['ready_account', 'due_at', 'execution_id'],
    awaiting: ['awaiting_account', 'execution_id'],
    by_projection: ['projection_id'],
    by_account: ['account', 'minted_at'],
    in_lane: ['open_lane', 'source_position', 'tie_breaker', 'execution_id'],
  },
});

/** con:XAT-F: one claim, append-only. The lease is temporary ownership of the try, never of I/O (con:OPEN-28). */
export const conExecutionAttempt = table('con_execution_attempt', {
  about: 'Who claimed an execution, when, and until when.',
  rank: null,
  columns: {
    execution_id: id(ExecutionId),
    ordinal: int(),
    claimant: name(128),
    gate_fence: u64<GateFence>(),
    epoch_id: id(EpochId),
    leased_until: instant(),
    claimed_at: born(),
  },
  primary: ['execution_id', 'ordinal'],
});

/** con:CORR-F: which Runtime result closed an execution; no payload. The outcome itself is read from Runtime. */
export const conResultCorrelation = table('con_result_correlation', {
  about: 'The Runtime commit that completed an execution.',
  rank: null,
  columns: {
    execution_id: id(ExecutionId),
    command_id: id(CommandId),
    execution_ref_digest: digest(),
    result_digest: digest(),
    commit_receipt: bytes(2048),
    commit_receipt_digest: digest(),
    recorded_at: born(),
  },
  primary: ['execution_id'],
});
