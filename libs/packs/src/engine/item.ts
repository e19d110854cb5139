import type { CelInput, CelValue } from '@bufbuild/cel';
import { type Json, jcs } from '@connector/kernel/jcs';
import { canonicalInstant, joinKey, keyFault } from './canonical';
import { type Expression } from './expression';
import { ITEM_BYTES_MAX, MESSAGE_BYTES_MAX } from './limits';
import { orderOf, type SourceOrder } from './order-plan';
import { boolAt, clipped, jsonAt, PartError, textAt, valueAt } from './parts';
import type { MappingPlan, RoutePlan } from './route-plan';
import { celOf, FAILURES, jsonOf, LimitError } from './values';

/** Why an item is refused; what the refusal row stores (decisions 13.4). */
export const ITEM_REFUSALS = [...FAILURES, 'refused-by-pack', 'key-not-canonical', 'time-not-canonical', 'position-not-canonical'] as const;
export type ItemRefusal = (typeof ITEM_REFUSALS)[number];

export interface ExtractedItem {
  readonly kind: 'item';
  readonly ordinal: number;
  /** JCS of the item: what the component digest reads. */
  readonly bytes: Buffer;
  readonly eventKind: string;
  /** Parts joined by NUL; compared byte for byte (con:IDN-06). */
  readonly sourceEventKey: Buffer;
  /** RFC 3339, UTC, six digits. */
  readonly occurredAt: string | null;
  /** JCS of the ordering contract: what its digest reads. */
  readonly orderingContract: Buffer;
  /** Parts joined by NUL. */
  readonly partition: Buffer;
  /** Null where order does not matter. */
  readonly order: SourceOrder | null;
  /** JCS of the mapped input: what the input digest reads. */
  readonly input: Buffer;
}
export interface RefusedItem {
  readonly kind: 'refused';
  readonly ordinal: number;
  readonly code: ItemRefusal;
  /** The pack's own or the engine's, at most 500 bytes, never a value of the payload. */
  readonly message: string;
}

export interface ItemContext {
  readonly route: RoutePlan;
  readonly mapping: MappingPlan;
  readonly account: string;
  /** `key` and `headers`, or an empty map. */
  readonly delivery: CelInput;
  readonly orderingContract: Buffer;
}

/** One item, for itself alone: whatever is wrong with it is its own refusal. */
export function readItem(context: ItemContext, value: CelValue, ordinal: number): ExtractedItem | RefusedItem {
  try {
    return extracted(context, value, ordinal);
  } catch (error) {
    if (error instanceof LimitError) return refused(ordinal, error.failure, error.what);
    if (error instanceof PartError && isItemRefusal(error.code)) return refused(ordinal, error.code, error.message);
    throw error;
  }
}

function isItemRefusal(code: string): code is ItemRefusal {
  return ITEM_REFUSALS.some((known) => known === code);
}

function refused(ordinal: number, code: ItemRefusal, message: string): RefusedItem {
  return { kind: 'refused', ordinal, code, message: clipped(message, MESSAGE_BYTES_MAX) };
}

function extracted(context: ItemContext, value: CelValue, ordinal: number): ExtractedItem {
  const { route, mapping, account, delivery, orderingContract } = context;
  const bytes = sized('the item', jcs(jsonOf(value)));
  for (const { when, message } of route.refuse) {
    if (boolAt('refuse', when, { item: value })) throw new PartError('refused-by-pack', message);
  }
  const eventKind = route.definition.event_kind;
  const key = keyParts('source_event_key', route.sourceEventKey, { item: value, delivery });
  const occurredAt = occurredAtOf(route.occurredAt, value);
  const partition = joinKey(keyParts('partition', route.partition, { account, item: value }));
  const event = celOf({ kind: eventKind, key });
  const input = sized('the input', jcs(mapped(mapping, { item: value, account, event, delivery })));
  return {
    kind: 'item',
    ordinal,
    bytes,
    eventKind,
    sourceEventKey: joinKey(key),
    occurredAt,
    orderingContract,
    partition,
    order: route.order === null ? null : orderOf(route.order, value),
    input,
  };
}

function sized(what: string, bytes: Buffer): Buffer {
  if (bytes.length > ITEM_BYTES_MAX) throw new LimitError('too-large', `${what} is over ${ITEM_BYTES_MAX} bytes`);
  return bytes;
}

function keyParts(place: string, expressions: readonly Expression[], bindings: Readonly<Record<string, CelInput>>): readonly string[] {
  const parts = expressions.map((expression, at) => textAt(`${place}/${at}`, expression, bindings));
  const fault = keyFault(parts);
  if (fault !== undefined) throw new PartError('key-not-canonical', `${place}: ${fault}`);
  return parts;
}

function occurredAtOf(expression: Expression | undefined, item: CelValue): string | null {
  const value = expression === undefined ? null : valueAt('occurred_at', expression, { item });
  if (value === null) return null;
  const instant = typeof value === 'string' ? canonicalInstant(value) : undefined;
  if (instant === undefined) throw new PartError('time-not-canonical', 'occurred_at: not a time of RFC 3339 with at most microseconds');
  return instant;
}

function mapped(mapping: MappingPlan, bindings: Readonly<Record<string, CelInput>>): Json {
  return Object.fromEntries(mapping.fields.map(({ name, expression }) => [name, jsonAt(`fields/${name}`, expression, bindings)]));
}
