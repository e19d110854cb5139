import { int, nullable, u64 } from '@connector/kernel/column';
import { readQuery, type Statement } from '@connector/kernel/statement';
import type { Table } from '@connector/kernel/table';
import type { Db } from '@connector/platform/db/db';
import type { WorkStage } from '../model/serving/work';

/** Ready rows of one stage, and the age of the oldest in seconds by the database's clock. */
export interface ReadyRows {
  readonly stage: WorkStage;
  readonly rows: number;
  readonly oldestAgeSeconds: number;
}

/** A backlog is counted up to here; beyond it the figure says "at least". */
const ROWS_MAX = 10_000;

interface Counted {
  readonly rows: number;
  readonly age_ms: bigint | null;
}

/** Rows of one table that are ready, and since when, by the column of a ready index. */
export interface ReadyPart {
  readonly table: Pick<Table, 'name'>;
  readonly since: string;
  readonly ready: string;
}

/** How many rows of a stage are ready, and how long the oldest has been: two columns over one bounded range of each of its ready indexes. */
export function countReady<C>(table: Table<C>, since: string, ready: string, ...others: readonly ReadyPart[]): Statement<Counted> {
  const parts = [{ table, since, ready }, ...others].map(
    (part) => `(SELECT ${part.since} AS since FROM ${part.table.name} WHERE ${part.ready} LIMIT ${ROWS_MAX})`,
  );
  return readQuery(
    table,
    { rows: int(), age_ms: nullable(u64()) },
    `SELECT COUNT(*) AS \`rows\`, GREATEST(0, TIMESTAMPDIFF(MICROSECOND, MIN(t.since), NOW(6)) DIV 1000) AS age_ms
       FROM (${parts.join(' UNION ALL ')}) t`,
    'ready',
  );
}

export async function readyOf(db: Db, stage: WorkStage, statement: Statement<Counted>): Promise<ReadyRows> {
  const [counted] = await db.read(statement, {});
  return { stage, rows: counted?.rows ?? 0, oldestAgeSeconds: Number(counted?.age_ms ?? 0n) / 1000 };
}
