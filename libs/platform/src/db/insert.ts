import type { Column, Param } from '@connector/kernel/column';
import { DefectFault } from '@connector/kernel/faults';
import type { Table } from '@connector/kernel/table';

/**
 * One statement carries at most this; a door carries 500 items, 2,000 rows, 4 MiB in all (decisions 3.6). `register-release` alone carries more
 * in all, in statements of this size: one bundle and the owners of up to 10,000 components (decisions 12.10).
 */
const ROWS_MAX = 500;
const BYTES_MAX = 4 * 1024 * 1024;

interface Part {
  readonly sql: string;
  readonly values: readonly Param[];
}

/** Multi-row INSERTs for these rows; columns that the database fills are left out where every row leaves them out. */
export function insertStatement<C>(table: Table<C>, given: readonly object[]): readonly Part[] {
  const rows = given as readonly Record<string, unknown>[];
  const columns = table.columns as Readonly<Record<string, Column<unknown>>>;
  const first = rows[0];
  if (first === undefined) return [];
  const names = Object.keys(columns).filter((name) => name in first);
  for (const name of Object.keys(columns)) {
    const column = columns[name] as Column<unknown>;
    if (!names.includes(name) && column.default === undefined) {
      throw new DefectFault('HOUSE:db:InsertColumn', `${table.name}.${name} has no value and no default`);
    }
  }
  const parts: Part[] = [];
  let values: Param[] = [];
  let count = 0;
  let size = 0;
  const close = (): void => {
    if (count === 0) return;
    const row = `(${names.map(() => '?').join(', ')})`;
    parts.push({
      sql: `/* insert ${table.name} */ INSERT INTO ${table.name} (${names.join(', ')}) VALUES ${Array<string>(count).fill(row).join(', ')}`,
      values,
    });
    values = [];
    count = 0;
    size = 0;
  };
  for (const row of rows) {
    const encoded = names.map((name) => (columns[name] as Column<unknown>).encode(row[name]));
    const bytes = encoded.reduce<number>((sum, value) => sum + (Buffer.isBuffer(value) ? value.length * 2 : 24), 0);
    if (count >= ROWS_MAX || (count > 0 && size + bytes > BYTES_MAX)) close();
    values.push(...encoded);
    count += 1;
    size += bytes;
  }
  close();
  return parts;
}
