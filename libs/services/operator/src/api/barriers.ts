import { closed, DECIMAL, oneOf } from '@connector/kernel/document-shape';
import { AttemptId, OperationId } from '@connector/kernel/ids';
import { BARRIER_OWNERS } from '@connector/connector/model/serving/barriers';
import { idOf, orNull, some, STRING, wordOf } from './shapes';

/** What the operator answers about publication barriers. */
const BARRIER = closed({
  ...{ owner: wordOf(BARRIER_OWNERS), organization: STRING, installation: orNull(STRING) },
  ...{ attempt_id: idOf(AttemptId), barrier_fence: DECIMAL },
});
export const BARRIERS = closed({ rows: some(BARRIER) });
export const BARRIERS_RELEASED = closed({
  ...{ kind: oneOf('released'), attempt_id: idOf(AttemptId), barriers: some(BARRIER), operation_id: idOf(OperationId) },
});
