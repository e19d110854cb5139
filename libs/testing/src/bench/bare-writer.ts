import { EventId, ExecutionId, ProjectionId, ReceiptId } from '@connector/kernel/ids';
import type { Child } from '@connector/connector/model/inbound/children';
import { Pool } from '@connector/platform/db/pool';
import type { TestSchema } from '../database';
import { testDatabase } from '../engine';
import type { Ready } from './door';
import { timed } from './rounds';

type Row = Readonly<Record<string, unknown>>;
export type Rows = ReadonlyMap<string, readonly Row[]>;

const childOf = ({ prepared }: Ready): Child => prepared.children?.items[0] as Child;
const receiptOf = ({ prepared }: Ready): Buffer => ReceiptId.bytes(prepared.delivery.receiptId);

/** The tables that an admitted delivery of one item adds a row to, and by which column the rows of a batch are found. */
const TABLES: readonly (readonly [table: string, column: string, value: (one: Ready) => unknown])[] = [
  ['con_admission_key', 'transport_key', ({ prepared }) => prepared.delivery.transportKey],
  ['con_receipt', 'receipt_id', receiptOf],
  ['con_component', 'receipt_id', receiptOf],
  ['con_event', 'event_id', (one) => EventId.bytes(childOf(one).eventId)],
  ['con_projection', 'projection_id', (one) => ProjectionId.bytes(childOf(one).projectionId)],
  ['con_execution', 'execution_id', (one) => ExecutionId.bytes(childOf(one).executionId)],
];

/** The rows that a batch left behind, whole. Throws where a delivery has not one row in each table: then the two ways would not write the same. */
export async function rowsOf(schema: TestSchema, batch: readonly Ready[]): Promise<Rows> {
  const found = new Map<string, readonly Row[]>();
  for (const [table, column, value] of TABLES) {
    const account = table === 'con_admission_key' ? ' AND account = ?' : '';
    const given = [batch.map(value), ...(account === '' ? [] : [Buffer.from((batch[0] as Ready).served.account)])];
    const rows = await schema.sql(`SELECT * FROM ${table} WHERE ${column} IN (?)${account}`, given);
    if (rows.length !== batch.length) throw new Error(`${table} has ${rows.length} rows of ${batch.length} deliveries`);
    found.set(table, rows);
  }
  return found;
}

/** The floor that the door is measured by: one transaction, one INSERT a table, no lock, no look, on a session like those of the product. */
export class BareWriter {
  readonly #pool: Pool;

  constructor({ database }: TestSchema) {
    const { host, port, user, password } = testDatabase();
    this.#pool = new Pool({ host, port, user, password, database, size: 1 });
  }

  /** How long it took, ms. */
  async write(rows: Rows): Promise<number> {
    const connection = await this.#pool.acquire();
    const statements = [...rows].map(([table, list]) => ({
      sql: `INSERT INTO ${table} (${Object.keys(list[0] ?? {}).join(', ')}) VALUES ?`,
      values: [list.map((row) => Object.values(row))],
    }));
    const ms = await timed(async () => {
      await connection.query('START TRANSACTION');
      for (const statement of statements) await connection.query(statement);
      await connection.query('COMMIT');
    });
    this.#pool.release(connection);
    return ms;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
