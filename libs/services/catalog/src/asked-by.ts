import { BodyFault } from '@connector/platform/host/problem';
import { callerOf } from '@connector/platform/host/auth';
import { invariant } from '@connector/kernel/faults';
import type { Json } from '@connector/kernel/jcs';
import { requestOf, type RequestKey } from '@connector/catalog/model/request';

/** Who asks, by the token, and under which `Idempotency-Key` (catalog.md B.3); `asked` is the door and everything that it is told. */
export function askedBy(request: object, key: string | undefined, asked: Json): RequestKey {
  const caller = callerOf(request);
  invariant(caller !== undefined, 'HOUSE:catalog:CallerUnknown', 'a write came past the guard of callers');
  if (key === undefined) throw new BodyFault([{ pointer: '', detail: 'a write needs the header Idempotency-Key' }]);
  return requestOf(caller, key, asked);
}
