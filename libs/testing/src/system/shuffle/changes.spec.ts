import { Random } from '../random';
import { changeOfInput, changesOf, type Change, orderedDeliveries, shuffledDeliveries } from './changes';

const SIZE = { changes: 3_000, records: 100 };
const changes = changesOf(SIZE);
const nameOf = ({ order, record, position }: Change): string => `${order} ${record} ${position}`;
const sorted = (some: readonly Change[]): readonly string[] => [...new Set(some.map(nameOf))].sort();

describe('shuffle › changes', () => {
  it('whole: each record has one order and every position from 1, half of them strict', () => {
    expect(sorted(changes)).toHaveLength(SIZE.changes);
    expect(new Set(changes.map(({ order, record }) => `${order} ${record}`)).size).toBe(SIZE.records);
    expect(changes.filter(({ order }) => order === 'strict')).toHaveLength(SIZE.changes / 2);
    expect(Math.max(...changes.map(({ position }) => position))).toBe(SIZE.changes / SIZE.records);
  });

  it('shuffled: every change is there, some in two deliveries, some deliveries twice as they were, small ones and wide ones', () => {
    const deliveries = shuffledDeliveries(changes, new Random(1));
    const once = new Map(deliveries.map((delivery) => [delivery.key, delivery]));
    const items = [...once.values()].flatMap((delivery) => delivery.changes);
    expect(sorted(items)).toEqual(sorted(changes));
    expect(items.length).toBeGreaterThan(changes.length);
    expect(deliveries.length).toBeGreaterThan(once.size);
    expect(deliveries.every((delivery) => once.get(delivery.key)?.body === delivery.body)).toBe(true);
    const sizes = [...once.values()].map((delivery) => delivery.changes.length);
    expect([Math.min(...sizes) <= 5, Math.max(...sizes) > 200]).toEqual([true, true]);
  });

  it('the same: a seed makes the same deliveries in the same order, another seed others', () => {
    const keysOf = (seed: number): string => JSON.stringify(shuffledDeliveries(changes, new Random(seed)));
    expect(keysOf(2)).toBe(keysOf(2));
    expect(keysOf(2)).not.toBe(keysOf(3));
  });

  it('ordered: every change once, and of no record a position behind a greater one', () => {
    for (const row of orderedDeliveries(changes)) {
      const reached = new Map<number, number>();
      for (const { record, position } of row.flatMap((delivery) => delivery.changes)) {
        expect(position).toBe((reached.get(record) ?? 0) + 1);
        reached.set(record, position);
      }
    }
    expect(orderedDeliveries(changes).flatMap((row) => row.flatMap((delivery) => delivery.changes))).toHaveLength(SIZE.changes);
  });

  it('known again: what the application is given says which change it is', () => {
    expect(changeOfInput({ externalId: 'rec-7', seq: 3 })).toEqual({ order: 'strict', record: 7, position: 3 });
    expect(changeOfInput({ ticketId: 8, revision: 2 })).toEqual({ order: 'latest', record: 8, position: 2 });
  });
});
