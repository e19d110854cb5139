import { BodyFault, HttpProblem } from '@connector/platform/host/problem';
import { type Caller, callerOf } from '@connector/platform/host/auth';
import { invariant } from '@connector/kernel/faults';
import type { Json } from '@connector/kernel/jcs';
import { requestOf, type RequestKey } from '@connector/catalog/model/request';

/** Under these the operator service speaks for people, and nobody else has them: it says which person. A service speaks for itself alone. */
const FOR_PEOPLE: readonly Caller[] = ['operator', 'publisher', 'pack-owner'];
const PERSON = /^[\x21-\x7e]{1,48}$/;

interface Headers {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Who asks: the role by its token, and behind it the person in `Connector-Person`. */
export function whoAsks(request: object): string {
  const caller = callerOf(request);
  invariant(caller !== undefined, 'HOUSE:catalog:CallerUnknown', 'a write came past the guard of callers');
  return [caller, ...personIn(request as Headers, caller)].join(' ');
}

/** The same, under which `Idempotency-Key` (catalog.md B.3). `asked` is the door and everything that it is told. */
export function askedBy(request: object, key: string | undefined, asked: Json): RequestKey {
  const caller = whoAsks(request);
  if (key === undefined) throw new BodyFault([{ pointer: '', detail: 'a write needs the header Idempotency-Key' }]);
  return requestOf(caller, key, asked);
}

function personIn({ headers }: Headers, caller: Caller): readonly string[] {
  const person = headers['connector-person'];
  if (person === undefined) return [];
  if (!FOR_PEOPLE.includes(caller)) {
    const detail = `${caller} speaks for itself and names no person; nothing was written.`;
    throw new HttpProblem({ status: 403, code: 'HOUSE:catalog:PersonNotNamed', detail });
  }
  if (typeof person === 'string' && PERSON.test(person)) return [person];
  throw new BodyFault([{ pointer: '', detail: 'the header Connector-Person has 1 to 48 visible ASCII characters' }]);
}
