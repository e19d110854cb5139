import { cleanHistory } from './history.fixture';
import type { Rows } from './rows';

/** The clean history with other rows. */
export const withRows = (change: (rows: Rows) => Partial<Rows>) => {
  const history = cleanHistory();
  return { ...history, rows: { ...history.rows, ...change(history.rows) } };
};
/** With one member of every row of one table changed. */
export const changed = <T extends keyof Rows>(table: T, change: Partial<Rows[T][number]>) =>
  withRows((rows) => ({ [table]: rows[table].map((row) => ({ ...row, ...change })) }) as Partial<Rows>);
