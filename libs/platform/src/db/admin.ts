import { createConnection } from 'mysql2/promise';

/** Plain SQL as an administrator: for migrations, grants and tests. No service opens one. */
export interface Admin {
  query(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export interface AdminOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database?: string;
  /** Statements in one text, with `;` between them; their rows are not given. */
  readonly multipleStatements?: boolean;
}

export async function openAdmin(options: AdminOptions): Promise<Admin> {
  const connection = await createConnection({ ...options, supportBigNumbers: true, bigNumberStrings: true, dateStrings: true });
  return {
    query: async (text, values = []) => {
      const [rows] = await connection.query(text, [...values]);
      return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [];
    },
    close: () => connection.end(),
  };
}
