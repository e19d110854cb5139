import type { Json } from '@connector/kernel/jcs';
import type { Random } from '../random';

/** A contact of larkspur counts its changes without a gap; of a ticket of tern the greatest counts. */
export type Order = 'strict' | 'latest';

/** One change of one record; its source counts from 1. Records of both orders have numbers of their own. */
export interface Change {
  readonly order: Order;
  readonly record: number;
  readonly position: number;
}

/** What travels under one transport key. */
export interface Delivery {
  readonly channel: string;
  readonly key: string;
  readonly body: Json;
  readonly changes: readonly Change[];
}

export interface Size {
  readonly changes: number;
  readonly records: number;
}

const ORDERS: readonly Order[] = ['strict', 'latest'];
const CHANNEL = { strict: 'hook', latest: 'hints' };
const ITEMS_MAX = 40;
const BATCHES = 30;
/** More than are made in the admission, so that the sweeps of all ingresses have something to do. */
const WIDE = { from: 201, more: 40, oneIn: 20 };
/** One change in so many comes a second time in another delivery, one delivery in so many a second time as it was. */
const AGAIN_ONE_IN = 10;
const REDELIVERED_ONE_IN = 5;
const ORDERED_ITEMS = 50;

/** Every change of every record once, each record's ascending; half of the records strict, half latest. */
export function changesOf({ changes, records }: Size): readonly Change[] {
  return Array.from({ length: changes }, (_, at) => {
    const record = (at % records) + 1;
    return { order: record % 2 === 1 ? 'strict' : 'latest', record, position: Math.floor(at / records) + 1 };
  });
}

/** In an order, in batches and with doubles that the random makes: of some changes a second delivery, of some deliveries a second try. */
export function shuffledDeliveries(changes: readonly Change[], random: Random): readonly Delivery[] {
  const deliveries = ORDERS.flatMap((order) => {
    const own = changes.filter((change) => change.order === order);
    const again = own.filter(() => random.below(AGAIN_ONE_IN) === 0);
    return deliveriesOf(order, inBatches(random.shuffled([...own, ...again]), batchSizes(own.length, random)), 'shuffled');
  });
  return random.shuffled([...deliveries, ...deliveries.filter(() => random.below(REDELIVERED_ONE_IN) === 0)]);
}

/** The same changes once, ascending, for each order a row of deliveries to be sent one after the other. */
export function orderedDeliveries(changes: readonly Change[]): readonly (readonly Delivery[])[] {
  const size = (): number => ORDERED_ITEMS;
  return ORDERS.map((order) => {
    const own = changes.filter((change) => change.order === order).sort((one, other) => one.position - other.position);
    return deliveriesOf(order, inBatches(own, size), 'ordered');
  });
}

/** Small ones mostly; wide ones only where enough are left for it. */
function batchSizes(count: number, random: Random): (left: number) => number {
  const most = Math.min(ITEMS_MAX, Math.max(2, Math.ceil(count / BATCHES)));
  return (left) => {
    const wide = left >= WIDE.from + WIDE.more && random.below(WIDE.oneIn) === 0;
    return wide ? WIDE.from + random.below(WIDE.more) : 1 + random.below(most);
  };
}

function inBatches(changes: readonly Change[], sizeOf: (left: number) => number): readonly (readonly Change[])[] {
  const batches: (readonly Change[])[] = [];
  for (let at = 0; at < changes.length;) {
    const batch = changes.slice(at, at + sizeOf(changes.length - at));
    batches.push(batch);
    at += batch.length;
  }
  return batches;
}

function deliveriesOf(order: Order, batches: readonly (readonly Change[])[], run: string): readonly Delivery[] {
  return batches.map((changes, at) => ({ channel: CHANNEL[order], key: `${run}-${order}-${at}`, body: bodyOf(order, changes), changes }));
}

const bodyOf = (order: Order, changes: readonly Change[]): Json =>
  order === 'strict' ? { changes: changes.map(contactOf) } : { hints: changes.map(hintOf) };

function contactOf({ record, position }: Change): Json {
  const recordId = `rec-${record}`;
  return { recordId, seq: position, email: `${recordId}@example.test`, name: `Contact ${record} at ${position}` };
}

const ENTRIES = 100_000;
const SECOND_MS = 1_000;

/** Two revisions each have the same time, so that the tie-breaker decides between them. */
function hintOf({ record, position }: Change): Json {
  const updated_at = new Date(Date.UTC(2026, 0, 1) + Math.floor(position / 2) * SECOND_MS).toISOString();
  return { entry_id: record * ENTRIES + position, ticket_id: record, revision: position, status: `status ${position}`, updated_at };
}

/** The change that a mapped input is of: what the application is given. */
export function changeOfInput(input: Readonly<Record<string, unknown>>): Change {
  const { externalId, seq, ticketId, revision } = input;
  return typeof externalId === 'string'
    ? { order: 'strict', record: Number(externalId.slice('rec-'.length)), position: Number(seq) }
    : { order: 'latest', record: Number(ticketId), position: Number(revision) };
}
