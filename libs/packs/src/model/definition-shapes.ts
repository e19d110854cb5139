import { closed, oneOf, type Shape } from '@connector/kernel/document-shape';

/** The small words that the definition schemas are made of. Every member says what it is: the schema is what pack authors read. */

/** The text of an expression. */
export type Cel = string;
type ByName = Readonly<Record<string, Cel>>;

export function said<T>(description: string, shape: Shape<T>): Shape<T> {
  return { schema: { ...shape.schema, description } };
}

export function text(pattern: string, maxLength: number): Shape<string> {
  return { schema: { type: 'string', pattern, maxLength } };
}

export function whole(minimum: number, maximum: number): Shape<number> {
  return { schema: { type: 'integer', minimum, maximum } };
}

export function list<T>(item: Shape<T>, minItems: number, maxItems: number): Shape<readonly T[]> {
  return { schema: { type: 'array', items: item.schema, minItems, maxItems } };
}

export function celByName(names: string, minProperties: number, maxProperties: number): Shape<ByName> {
  const propertyNames = { type: 'string', pattern: names };
  return { schema: { type: 'object', propertyNames, additionalProperties: CEL.schema, minProperties, maxProperties } };
}

/** Exactly one of shapes that a member `kind` tells apart. */
export function byKind<A, B, C>(a: Shape<A>, b: Shape<B>, c: Shape<C>): Shape<A | B | C> {
  const oneOf = [a.schema, b.schema, c.schema];
  return { schema: { type: 'object', discriminator: { propertyName: 'kind' }, oneOf } };
}

export const CEL: Shape<Cel> = { schema: { type: 'string', minLength: 1, maxLength: 2_048 } };
export const BOOL: Shape<boolean> = { schema: { type: 'boolean' } };
export const MEMBER_PATTERN = '^[A-Za-z][A-Za-z0-9_]{0,63}$';
export const HEADER_PATTERN = '^[a-z][a-z0-9-]{0,63}$';
/** Words of lower-case letters and digits joined by one of `-_./`. */
export const NAME = text('^[a-z0-9]+([-_./][a-z0-9]+)*$', 128);
export const HEADER = text(HEADER_PATTERN, 64);
export const MEMBER = text(MEMBER_PATTERN, 64);
/** As long as every row that names a version holds one. */
export const LABEL = text('^[0-9A-Za-z]+([.-][0-9A-Za-z]+)*$', 32);
/** A line for people: no blank ends, no control characters. */
export const LINE = text('^[^\\s\\p{C}]([^\\p{C}]*[^\\s\\p{C}])?$', 300);

const partition = said(
  'Which items are ordered among each other: CEL over `account` and `item`, each a text or an integer.',
  list(CEL, 1, 8),
);
const POSITION = closed({
  type: said(
    'u64: an integer from 0, or its decimal text. text: compared by its bytes. instant: RFC 3339.',
    oneOf('u64', 'text', 'instant'),
  ),
  value: said('CEL over `item`.', CEL),
  comparator: said('How two are compared, by version; one for each type.', oneOf('u64/v1', 'bytewise/v1', 'instant/v1')),
});
/** Applied and noop always go on (con:OPEN-18). */
const terminal = said(
  'What a result of the application does to the order: advance lets the next position come, hold stops the lane until a person has decided.',
  closed({ rejected: oneOf('advance', 'hold'), failed: oneOf('advance', 'hold') }),
);

const orderIndependent = closed({
  kind: oneOf('order_independent'),
  partition,
  commutativity_proof: said('Where it is shown that every order gives the same state: a reference for people.', LINE),
});
const latestSourcePosition = closed(
  {
    kind: oneOf('latest_source_position'),
    partition,
    position: said('First part of the total order; an earlier one that comes later is superseded.', POSITION),
    tie_breaker: said('Second part: without it two changes could stand at one place.', POSITION),
    settle_ms: said('How long a position waits for a greater one.', whole(0, 86_400_000)),
    terminal,
  },
  { start: said('Where a lane begins.', oneOf('first_observed', 'snapshot_barrier')) },
);
const strictSourceSequence = closed(
  {
    kind: oneOf('strict_source_sequence'),
    partition,
    position: said('The total order, without gaps.', POSITION),
    successor: said('What follows a position.', oneOf('plus_one')),
    gap: said(
      'What a missing position leads to, and when, counted from when the gap is first seen.',
      closed({
        after_ms: whole(1_000, 604_800_000),
        then: said(
          'quarantine: what stands behind the gap is quarantined and the lane stops. skip: the lane goes on behind the gap, and the skip is recorded.',
          oneOf('quarantine', 'skip'),
        ),
      }),
    ),
    terminal,
  },
  {
    start: said(
      'Where a lane begins: the exact first position, decimal, or a snapshot barrier.',
      text('^(snapshot_barrier|0|[1-9][0-9]{0,19})$', 20),
    ),
  },
);

/** con:OCON-F. Its JCS is what the contract digest is made of. A contract without `start` is refused at genesis (decisions 13.5). */
export const ORDERING_CONTRACT = byKind(orderIndependent, latestSourcePosition, strictSourceSequence);
