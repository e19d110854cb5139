import { groupBy } from '../audit/finding';
import type { Change, Order } from './changes';

/** One change that the application was given and whose result it committed. */
export interface Applied extends Change {
  readonly outcome: string;
  /** Of the record behind it; null where the application changed nothing. */
  readonly version: number | null;
}

/** When a change was first written down, as the database says it: later ones compare greater. */
export interface Arrived extends Change {
  readonly at: string;
}

/** How many, apart by the order of their records. */
export type OfOrders = Readonly<Record<Order, number>>;

/** What stands in the tables when all is quiet. */
export interface Seen {
  /** In the order in which the application committed. */
  readonly applied: readonly Applied[];
  readonly superseded: readonly Change[];
  /** In the order in which they were written down. */
  readonly arrived: readonly Arrived[];
}

const recordOf = ({ order, record }: Change): string => `record ${record} (${order})`;
const listOf = (changes: readonly Change[]): string => changes.map(({ position }) => position).join(', ') || 'none';

/**
 * What is wrong with the order in which the application saw the changes, one sentence each. Of a strict record it saw each position once,
 * ascending, and every one changed the record (con:ORD-14); of a latest record an ascending subsequence that ends with the greatest, and
 * all others are decided as superseded (con:ORD-13).
 */
export function wrongOrder(changes: readonly Change[], { applied, superseded }: Seen): readonly string[] {
  const sent = groupBy(changes, recordOf);
  const saw = groupBy(applied, recordOf);
  const decided = groupBy(superseded, recordOf);
  const unknown = [...saw.keys(), ...decided.keys()].filter((record) => !sent.has(record));
  return [
    ...unknown.map((record) => `${record}: nobody sent a change of it`),
    ...[...sent].flatMap(([record, all]) => {
      const ascending = all.toSorted((one, other) => one.position - other.position);
      const judge = all[0]?.order === 'strict' ? wrongStrict : wrongLatest;
      return judge(record, ascending, saw.get(record) ?? [], decided.get(record) ?? []);
    }),
  ];
}

function wrongStrict(record: string, all: readonly Change[], saw: readonly Applied[], superseded: readonly Change[]): readonly string[] {
  const wrong = superseded.length === 0 ? [] : [`${record}: ${listOf(superseded)} superseded, and a strict record leaves nothing out`];
  if (listOf(saw) !== listOf(all)) return [...wrong, `${record}: the application saw ${listOf(saw)}, and must see ${listOf(all)}`];
  const moved = saw.every(({ outcome, version }, at) => outcome === 'applied' && version === at + 1);
  const told = saw.map(({ outcome, version }) => `${outcome} ${version ?? '-'}`).join(', ');
  return moved ? wrong : [...wrong, `${record}: its versions are ${told}, and must be 1 to ${all.length}, one a change`];
}

function wrongLatest(record: string, all: readonly Change[], saw: readonly Applied[], superseded: readonly Change[]): readonly string[] {
  const wrong: string[] = [];
  const ascends = saw.every(({ position }, at) => at === 0 || position > (saw[at - 1]?.position ?? 0));
  if (!ascends) wrong.push(`${record}: the application saw ${listOf(saw)}, which does not ascend`);
  const greatest = all.at(-1)?.position;
  const last = saw.at(-1)?.position;
  if (last !== greatest)
    wrong.push(`${record}: the application saw ${last ?? 'nothing'} last, and ${greatest ?? 'nothing'} is the greatest`);
  if (saw.some(({ outcome }) => outcome !== 'applied')) wrong.push(`${record}: the application was given one that changed nothing`);
  const accounted = [...saw, ...superseded].sort((one, other) => one.position - other.position);
  if (listOf(accounted) !== listOf(all))
    wrong.push(`${record}: ${listOf(saw)} applied and ${listOf(superseded)} superseded are not all of ${all.length}, each once`);
  return wrong;
}

/** How many changes were written down after a greater one of their record; of one and the same moment none is after the other. */
export function arrivedLate(arrived: readonly Arrived[]): OfOrders {
  const late = { strict: 0, latest: 0 };
  for (const [, all] of groupBy(arrived, recordOf)) {
    for (const { order, position, at } of all) {
      if (all.some((other) => other.position > position && other.at < at)) late[order] += 1;
    }
  }
  return late;
}
