import { closed, COUNT, DECIMAL, DIGEST, oneOf, type Shape } from '@connector/kernel/document-shape';
import { CredentialGenerationId, EpochId, OperationId, PermitId } from '@connector/kernel/ids';
import { CREDENTIAL_VERBS } from '@connector/connector/model/serving/credential-gate';
import { epochMachine } from '@connector/connector/model/serving/epoch';
import { gateMachine } from '@connector/connector/model/serving/gate';
import { WORK_STAGES } from '@connector/connector/model/serving/work';
import type { Wakes } from '../claimant';
import { PLAN_VERBS, type PlannedAct } from '../plan';
import { CREDENTIAL } from './rows';
import { ACCOUNT_NAME, BOOLEAN, either, ESTIMATE, idOf, INSTANT, orNull, PLAIN_ROW, shapeOf, some, STRING, textOf, wordOf } from './shapes';

/** What the operator answers, said once: the handlers return these types and the document shows these schemas. */
const MODE = wordOf(gateMachine.states);
const GATE = { account: ACCOUNT_NAME, mode: MODE, fence: DECIMAL, epoch: idOf(EpochId) };

/** As the claimant says it: that document is its own. */
const SEEN: Shape<Readonly<Record<string, unknown>>> = { schema: { type: 'object' } };
const WAKES = shapeOf<Wakes>()(either(closed({ kind: oneOf('seen'), seen: SEEN }), closed({ kind: oneOf('unknown'), detail: STRING })));

export const STATUS = closed({
  version: STRING,
  database_time: INSTANT,
  gates: some(closed(GATE)),
  epochs: some(closed({ id: idOf(EpochId), state: wordOf(epochMachine.states) })),
  waiting: closed({
    ...{ receipts: COUNT, executions: COUNT, results: COUNT, effects: COUNT, confirmed: COUNT, uncertain: COUNT, permits: COUNT },
  }),
  /** Which wake is in use, and how long due work waited for its claim in the last hour. */
  wakes: WAKES,
  stages: some(closed({ stage: textOf(WORK_STAGES), accounts_due: COUNT, next_due: INSTANT })),
});

const ACCOUNT = { ...GATE, changed_by: STRING, changed_at: INSTANT, reason: STRING };
const CHANNEL = closed({
  channel: STRING,
  scheme: orNull(STRING),
  route: orNull(STRING),
  transport_key_header: orNull(STRING),
  keys: some(closed({ version: COUNT, secret_path: STRING, secret_version: STRING })),
});
export const ACCOUNTS = closed({ rows: some(closed(ACCOUNT)), next: orNull(STRING) });
export const ACCOUNT_DETAIL = closed({
  ...ACCOUNT,
  epoch_state: wordOf([...epochMachine.states, 'absent']),
  open_permits: COUNT,
  channels: some(CHANNEL),
});

const TWO: Shape<2> = { schema: { const: 2 } };
/** An inert plan, what was counted when it was made, and the command that confirms exactly it. */
export const PLANNED = shapeOf<PlannedAct>()(
  closed({
    plan: closed({
      schema: oneOf('connector.plan/v1'),
      verb: wordOf(PLAN_VERBS),
      subject: STRING,
      rung: TWO,
      expected: PLAIN_ROW,
      steps: some(STRING),
      then: some(STRING),
      way_back: some(STRING),
    }),
    digest: DIGEST,
    estimate: ESTIMATE,
    confirm: STRING,
  }),
);
export const HALTED = closed({ kind: oneOf('halting'), account: ACCOUNT_NAME, fence: DECIMAL, operation_id: idOf(OperationId) });
export const RESUMED = closed({ kind: oneOf('serving'), account: ACCOUNT_NAME, fence: DECIMAL, operation_id: idOf(OperationId) });
export const ABANDONED = closed({ kind: oneOf('abandoned'), permit_id: idOf(PermitId), operation_id: idOf(OperationId) });

const DECISION = closed({
  ...{ fence: DECIMAL, verb: textOf(CREDENTIAL_VERBS), final: BOOLEAN, decided_by: STRING, decided_at: INSTANT, reason: STRING },
  operation_id: idOf(OperationId),
  /** Whether its gate has it. */
  carried: BOOLEAN,
});
export const CREDENTIAL_DETAIL = closed({
  ...CREDENTIAL,
  ...{ epoch: STRING, prepared_effects: COUNT, granted_permits: COUNT, sending_permits: COUNT },
  not_recalled: some(idOf(PermitId)),
  decisions: some(DECISION),
});
const DECIDED = { credential: idOf(CredentialGenerationId), fence: DECIMAL, operation_id: idOf(OperationId) };
export const REVOKED = closed({ kind: oneOf('revoked'), ...DECIDED });
export const REENABLED = closed({ kind: oneOf('reenabled'), ...DECIDED });
