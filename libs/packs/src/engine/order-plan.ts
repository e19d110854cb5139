import type { CelValue } from '@bufbuild/cel';
import type { InboundRoute } from '../model/definition-schemas';
import { canonicalInstant } from './canonical';
import type { ExpressionSet } from './definition';
import { definitionFault, type DefinitionFault } from './definition-fault';
import type { Expression } from './expression';
import { POSITION_BYTES_MAX, START_MAX } from './limits';
import { PartError, textAt } from './parts';

type Ordering = InboundRoute['ordering'];
type Ordered = Exclude<Ordering, { kind: 'order_independent' }>;
type PositionType = Ordered['position']['type'];

export interface PositionPlan {
  readonly place: string;
  readonly type: PositionType;
  readonly expression: Expression;
}
export interface OrderPlan {
  readonly position: PositionPlan;
  readonly tieBreaker: PositionPlan | null;
}

/** A value in the source's order, typed; how two are compared is its comparator's. */
export type SourceValue =
  | { readonly kind: 'u64'; readonly value: bigint }
  | { readonly kind: 'bytes'; readonly value: Buffer }
  | { readonly kind: 'instant'; readonly value: string };
export interface SourceOrder {
  readonly position: SourceValue;
  readonly tieBreaker: SourceValue | null;
}

const COMPARATOR = { u64: 'u64/v1', text: 'bytewise/v1', instant: 'instant/v1' } as const satisfies Record<PositionType, string>;

export function planOrder(set: ExpressionSet, ordering: Ordering): OrderPlan | null {
  if (ordering.kind === 'order_independent') return null;
  const plan = (place: string, { type, value }: Ordered['position']): PositionPlan => ({
    place,
    type,
    expression: set.compile(`/ordering/${place}/value`, value, ['item']),
  });
  return {
    position: plan('position', ordering.position),
    tieBreaker: 'tie_breaker' in ordering ? plan('tie_breaker', ordering.tie_breaker) : null,
  };
}

/** What the shape cannot say: a type has one comparator, and only whole numbers have an exact successor (con:ORD-04, con:ORD-05). */
export function orderFaults(ordering: Ordering): readonly DefinitionFault[] {
  if (ordering.kind === 'order_independent') return [];
  const parts = 'tie_breaker' in ordering ? (['position', 'tie_breaker'] as const) : (['position'] as const);
  const faults = parts.flatMap((part) => comparatorFault(part, part === 'position' ? ordering.position : tieBreakerOf(ordering)));
  if (ordering.kind !== 'strict_source_sequence') return faults;
  return [...faults, ...strictFaults(ordering)];
}

function tieBreakerOf(ordering: Ordered): Ordered['position'] {
  return 'tie_breaker' in ordering ? ordering.tie_breaker : ordering.position;
}

function comparatorFault(part: string, { type, comparator }: Ordered['position']): readonly DefinitionFault[] {
  const expected = COMPARATOR[type];
  if (comparator === expected) return [];
  const hint = `${type} is compared by ${expected}`;
  return [definitionFault('rule-contradicts', `/ordering/${part}/comparator`, { expected, found: comparator, hint })];
}

function strictFaults({ position, start }: Extract<Ordering, { kind: 'strict_source_sequence' }>): readonly DefinitionFault[] {
  const faults: DefinitionFault[] = [];
  if (position.type !== 'u64') {
    const hint = 'plus_one needs whole numbers';
    faults.push(definitionFault('rule-contradicts', '/ordering/position/type', { expected: 'u64', found: position.type, hint }));
  }
  if (start !== undefined && start !== 'snapshot_barrier' && BigInt(start) > START_MAX) {
    const hint = 'positions are unsigned integers of 64 bits';
    faults.push(definitionFault('rule-contradicts', '/ordering/start', { expected: `at most ${START_MAX}`, found: start, hint }));
  }
  return faults;
}

/** Where an item stands; PartError where a value is none of its type. */
export function orderOf(plan: OrderPlan, item: CelValue): SourceOrder {
  return { position: valueOf(plan.position, item), tieBreaker: plan.tieBreaker === null ? null : valueOf(plan.tieBreaker, item) };
}

function valueOf({ place, type, expression }: PositionPlan, item: CelValue): SourceValue {
  const text = textAt(place, expression, { item });
  if (type === 'text') {
    const value = Buffer.from(text, 'utf8');
    if (value.length === 0 || value.length > POSITION_BYTES_MAX) throw notCanonical(place, `not 1 to ${POSITION_BYTES_MAX} bytes`);
    return { kind: 'bytes', value };
  }
  if (type === 'instant') {
    const value = canonicalInstant(text);
    if (value === undefined) throw notCanonical(place, 'not a time of RFC 3339 with at most microseconds');
    return { kind: 'instant', value };
  }
  if (!/^(0|[1-9][0-9]{0,19})$/.test(text) || BigInt(text) > START_MAX) throw notCanonical(place, 'not an unsigned integer of 64 bits');
  return { kind: 'u64', value: BigInt(text) };
}

function notCanonical(place: string, why: string): PartError<'position-not-canonical'> {
  return new PartError('position-not-canonical', `${place}: ${why}`);
}
