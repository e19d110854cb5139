import { createConnection, type RowDataPacket } from 'mysql2/promise';
import type { Login } from './engine';

const CONNECT_WITHIN_MS = 5_000;

export type Ask = (sql: string) => Promise<readonly (readonly string[])[]>;

/** Runs `work` over one connection. Answers come as rows of texts in the order of the columns; null is the empty text. */
export async function withConnection<T>(login: Login, work: (ask: Ask) => Promise<T>): Promise<T> {
  const { host, port, user, password } = login;
  const numbers = { supportBigNumbers: true, bigNumberStrings: true };
  const connection = await createConnection({
    host,
    port,
    user,
    password,
    ...numbers,
    connectTimeout: CONNECT_WITHIN_MS,
    rowsAsArray: true,
  });
  try {
    return await work(async (sql) => {
      const [rows] = await connection.query<RowDataPacket[][]>(sql);
      return Array.isArray(rows) ? rows.map((row) => row.map((value: unknown) => String(value ?? ''))) : [];
    });
  } finally {
    connection.destroy();
  }
}

/** Whether the server answers to this login. */
export function answers(login: Login): Promise<boolean> {
  return withConnection(login, (ask) => ask('SELECT 1')).then(
    () => true,
    () => false,
  );
}
