import type { Table } from '@connector/kernel/table';

/** CREATE TABLE of one declaration, in the subset that TiDB and MariaDB share; clustered, binary, no foreign keys on hot parents. */
export function createTable(table: Table): string {
  const columns = Object.entries(table.columns).map(([name, column]) => {
    const fallback = column.default === undefined ? '' : ` DEFAULT ${column.default}`;
    return `  ${name} ${column.ddl}${column.nullable ? ' NULL' : ' NOT NULL'}${fallback}`;
  });
  const keys = [
    `  PRIMARY KEY (${table.primary.join(', ')}) /*T![clustered_index] CLUSTERED */`,
    ...Object.entries(table.unique).map(([name, cols]) => `  UNIQUE KEY u_${name} (${cols.join(', ')})`),
    ...Object.entries(table.index).map(([name, cols]) => `  KEY k_${name} (${cols.join(', ')})`),
  ];
  return `CREATE TABLE ${table.name} (\n${[...columns, ...keys].join(',\n')}\n) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;
}
