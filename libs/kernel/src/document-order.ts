import { InputFault } from './faults';

/** Order by the UTF-8 bytes. JavaScript's own order is by UTF-16 units and differs above U+FFFF. */
export function compareUtf8(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left, 'utf8'), Buffer.from(right, 'utf8'));
}

/** Field by field: glued texts of two different tuples could tie (cat:A-10). */
export function compareTuples(left: readonly string[], right: readonly string[]): number {
  for (const [index, field] of left.entries()) {
    const order = compareUtf8(field, right[index] ?? '');
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** The items of a set in the one order of their keys; the same key twice is an InputFault. */
export function inKeyOrder<T>(items: readonly T[], key: (item: T) => readonly string[]): readonly T[] {
  const keyed = items.map((item) => ({ item, key: key(item) })).sort((left, right) => compareTuples(left.key, right.key));
  keyed.forEach((entry, index) => {
    const before = keyed[index - 1];
    if (before && compareTuples(before.key, entry.key) === 0) {
      throw new InputFault('HOUSE:kernel:SetRepeated', `twice in one set: ${entry.key.join(' ')}`);
    }
  });
  return keyed.map(({ item }) => item);
}

/** A set of texts in bytewise order. */
export function inTextOrder<T extends string>(texts: readonly T[]): readonly T[] {
  return inKeyOrder(texts, (text) => [text]);
}
