import { closed, COUNT, DECIMAL, DIGEST, listOf, oneOf } from '@connector/kernel/document-shape';
import {
  CommandId,
  CredentialGenerationId,
  EffectId,
  EpochId,
  ExecutionId,
  LaneId,
  OutboundCommandId,
  PermitId,
  ProjectionId,
  ReceiptId,
} from '@connector/kernel/ids';
import { dependencyMachine } from '@connector/connector/model/execution/dependency';
import { executionMachine } from '@connector/connector/model/execution/execution';
import { effectMachine } from '@connector/connector/model/outbound/effect';
import { permitMachine } from '@connector/connector/model/outbound/permit';
import { credentialGateMachine } from '@connector/connector/model/serving/credential-gate';
import type { ListedEffect } from '@connector/connector/reads/lists/effects';
import type { ListedExecution } from '@connector/connector/reads/lists/executions';
import type { ListedPermit } from '@connector/connector/reads/lists/permits';
import type { ListedReceipt, receiptState } from '@connector/connector/reads/lists/receipts';
import { GAPS_MAX } from '@connector/connector/reads/ordering/gaps';
import type { LaneStory } from '@connector/connector/reads/ordering/lane';
import { LANE_STATES, type LaneView } from '@connector/connector/reads/ordering/lane-row';
import { MEMBERS_MAX } from '@connector/connector/reads/ordering/members';
import type { ShownCredential } from '@connector/control/reads/credentials';
import { ACCOUNT_NAME, BOOLEAN, idOf, INSTANT, orNull, shapeOf, STRING, textOf, wordOf } from './shapes';

/** A listed row as it is shown: bytes are left out and 64-bit numbers are text. */
type Shown<Row> = {
  readonly [K in keyof Row as Buffer extends Row[K] ? never : K]:
    Exclude<Row[K], bigint> | ([Extract<Row[K], bigint>] extends [never] ? never : string);
};

export const RECEIPT_ROW = shapeOf<Shown<ListedReceipt> & { readonly state: ReturnType<typeof receiptState> }>()(
  closed({
    receipt_id: idOf(ReceiptId),
    account: ACCOUNT_NAME,
    channel: STRING,
    transport_key: STRING,
    epoch_id: idOf(EpochId),
    payload_digest: DIGEST,
    key_version: COUNT,
    admitted_at: INSTANT,
    payload_bytes: COUNT,
    pending: orNull(COUNT),
    /** Other bodies under its key that were refused and kept. */
    conflicts: COUNT,
    state: oneOf('stored', 'materialized'),
  }),
);

export const EXECUTION_ROW = shapeOf<Shown<ListedExecution>>()(
  closed({
    execution_id: idOf(ExecutionId),
    account: ACCOUNT_NAME,
    projection_id: idOf(ProjectionId),
    command_id: idOf(CommandId),
    epoch_id: idOf(EpochId),
    business_key: STRING,
    definition_version: STRING,
    state: textOf(executionMachine.states),
    reason: orNull(STRING),
    attempt_count: COUNT,
    due_at: INSTANT,
    minted_at: INSTANT,
    finished_at: orNull(INSTANT),
  }),
);

const LANE = {
  lane_id: idOf(LaneId),
  account: ACCOUNT_NAME,
  epoch_id: idOf(EpochId),
  partition: STRING,
  contract: STRING,
  state: wordOf(LANE_STATES),
  /** What it began with, `start 1` or `first_observed 7`. */
  baseline: STRING,
  high_water: orNull(STRING),
  active_execution: orNull(idOf(ExecutionId)),
  active_position: orNull(STRING),
  held: orNull(STRING),
  settles_at: orNull(INSTANT),
  fence: DECIMAL,
  due_at: orNull(INSTANT),
  opened_at: INSTANT,
};
export const LANE_ROW = shapeOf<LaneView>()(closed(LANE));
const MEMBER = closed({
  ...{ execution_id: idOf(ExecutionId), position: STRING, state: textOf(executionMachine.states), attempts: COUNT, minted_at: INSTANT },
});
const GAP = closed({
  missing: STRING,
  execution_id: idOf(ExecutionId),
  state: textOf(dependencyMachine.states),
  deadline: INSTANT,
  disposition: orNull(STRING),
  noticed_at: INSTANT,
  decided_at: orNull(INSTANT),
});
export const LANE_DETAIL = shapeOf<LaneStory>()(closed({ ...LANE, members: listOf(MEMBER, MEMBERS_MAX), gaps: listOf(GAP, GAPS_MAX) }));

export const EFFECT_ROW = shapeOf<Shown<ListedEffect>>()(
  closed({
    effect_id: idOf(EffectId),
    outbound_command_id: idOf(OutboundCommandId),
    account: ACCOUNT_NAME,
    epoch_id: idOf(EpochId),
    credential_generation_id: idOf(CredentialGenerationId),
    request_digest: DIGEST,
    intent: STRING,
    state: textOf(effectMachine.states),
    reason: orNull(STRING),
    attempt_count: COUNT,
    due_at: INSTANT,
    created_at: INSTANT,
    changed_at: INSTANT,
    provider_key: orNull(STRING),
    last_permit_id: orNull(idOf(PermitId)),
    last_outcome: orNull(STRING),
    last_status: orNull(COUNT),
    last_detail: orNull(STRING),
    last_recorded_at: orNull(INSTANT),
  }),
);

export const PERMIT_ROW = shapeOf<Shown<ListedPermit>>()(
  closed({
    permit_id: idOf(PermitId),
    effect_id: idOf(EffectId),
    attempt_ordinal: COUNT,
    account: ACCOUNT_NAME,
    epoch_id: idOf(EpochId),
    credential_generation_id: idOf(CredentialGenerationId),
    holder_id: STRING,
    holder_fence: DECIMAL,
    state: textOf(permitMachine.states),
    io_may_have_started: BOOLEAN,
    granted_at: INSTANT,
    sending_at: orNull(INSTANT),
    closed_at: orNull(INSTANT),
  }),
);

/** By reference alone: where the secret is kept, never what it is (con:INV-18). */
export const CREDENTIAL = {
  generation_id: idOf(CredentialGenerationId),
  account: ACCOUNT_NAME,
  credential_identity: STRING,
  provider: STRING,
  secret_path: STRING,
  secret_version: STRING,
  mode: orNull(textOf(credentialGateMachine.states)),
  fence: orNull(DECIMAL),
  authored_at: INSTANT,
  changed_at: orNull(INSTANT),
};
export const CREDENTIAL_ROW = shapeOf<Shown<ShownCredential>>()(closed(CREDENTIAL));
