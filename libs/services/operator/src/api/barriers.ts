import { closed, DECIMAL, oneOf } from '@connector/kernel/document-shape';
import { AttemptId, OperationId } from '@connector/kernel/ids';
import { BARRIER_OWNERS } from '@connector/connector/model/serving/barriers';
import { BOOLEAN, idOf, orNull, some, STRING, wordOf } from './shapes';

/** What the operator answers about publication barriers. */
const BARRIER = closed({
  ...{ owner: wordOf(BARRIER_OWNERS), organization: STRING, installation: orNull(STRING) },
  ...{ attempt_id: idOf(AttemptId), barrier_fence: DECIMAL },
});
/** At most 100 of an owner; `more`: one of them has others, which an attempt names. */
export const BARRIERS = closed({ rows: some(BARRIER), more: BOOLEAN });
export const BARRIERS_RELEASED = closed({
  ...{ kind: oneOf('released'), attempt_id: idOf(AttemptId), barriers: some(BARRIER), operation_id: idOf(OperationId) },
});
