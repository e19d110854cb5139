import type { Connection, ResultSetHeader } from 'mysql2/promise';
import type { Param } from '@connector/kernel/column';
import { DefectFault, RetryableFault, invariant } from '@connector/kernel/faults';
import { placeOf, type Rank } from '@connector/kernel/locks';
import type { Door } from '@connector/kernel/paths';
import type { Params, Statement } from '@connector/kernel/statement';
import type { NewRow, Table } from '@connector/kernel/table';
import { duplicateKey, isBusy } from './errors';
import { insertStatement } from './insert';
import type { StepHook } from './step-hook';

/** A transaction may take this long; then it is rolled back and run again (database 9.1). */
const TRANSACTION_MS_MAX = 5000;
const STATEMENT_MS_MAX = 8000;

export interface TxContext {
  readonly connection: Connection;
  readonly door: Door;
  readonly hook: StepHook | undefined;
  readonly observe: (statement: string, seconds: number) => void;
}

/**
 * The only thing that writes. It runs the statements that the door's paths list and no others, takes locks in the one order,
 * and counts what a compare-and-swap met. Only `Db.fenced` makes one.
 */
export class FencedTx {
  readonly #context: TxContext;
  readonly #startedAt = performance.now();
  #rank: Rank | undefined;
  #key: Buffer | undefined;
  readonly #held = new Set<Rank>();

  constructor(context: TxContext) {
    this.#context = context;
  }

  get door(): Door {
    return this.#context.door;
  }

  /** One row by its full key, locked; undefined where it is absent, and then nothing is locked. */
  async lock<Row>(statement: Statement<Row>, params: Params): Promise<Row | undefined> {
    const rows = await this.lockMany(statement, params);
    invariant(rows.length <= 1, 'HOUSE:db:LockedMany', `${statement.name} is for one row, found ${rows.length}`);
    return rows[0];
  }

  /** As `lock`, by a statement with NOWAIT; `busy` where somebody holds the row, and then nothing is locked. */
  async lockIfFree<Row>(statement: Statement<Row>, params: Params): Promise<Row | 'busy' | undefined> {
    invariant(statement.sql.endsWith(' NOWAIT'), 'HOUSE:db:StatementVerb', `${statement.name} waits`);
    try {
      return await this.lock(statement, params);
    } catch (error) {
      if (isBusy(error)) return 'busy';
      throw error;
    }
  }

  /** Rows by full keys, locked in ascending order of their keys. */
  async lockMany<Row>(statement: Statement<Row>, params: Params): Promise<readonly Row[]> {
    invariant(statement.verb === 'lock', 'HOUSE:db:StatementVerb', `${statement.name} does not lock`);
    const rank = statement.table.rank;
    invariant(rank !== null, 'HOUSE:db:LockRank', `${statement.table.name} has no place in the lock order`);
    const bound = statement.bind(sorted(params));
    this.#ascend(rank, bound.key, statement.name);
    return (await this.#rows(statement, bound)).map((raw) => statement.decode(raw));
  }

  /** A plain read of facts that cannot change, or that a held gate holds still. */
  async read<Row>(statement: Statement<Row>, params: Params): Promise<readonly Row[]> {
    invariant(statement.verb === 'read', 'HOUSE:db:StatementVerb', `${statement.name} is no plain read`);
    return (await this.#rows(statement, statement.bind(params))).map((raw) => statement.decode(raw));
  }

  /** A compare-and-swap of one row: whether it landed. */
  async cas(statement: Statement, params: Params): Promise<boolean> {
    const count = await this.update(statement, params);
    invariant(count <= 1, 'HOUSE:db:CasMany', `${statement.name} met ${count} rows`);
    return count === 1;
  }

  /** A compare-and-swap of several rows: how many it met. */
  async update(statement: Statement, params: Params): Promise<number> {
    invariant(statement.verb === 'update', 'HOUSE:db:StatementVerb', `${statement.name} is no update`);
    const { rank } = statement.table;
    // Rows that were locked before are only written now; an update that locks by itself takes its place in the order like any lock.
    if (rank !== null && !this.#held.has(rank)) this.#ascend(rank, [], statement.name);
    const result = await this.#run<ResultSetHeader>(statement.name, statement.bind(sorted(params)));
    return result.affectedRows;
  }

  /** New rows, several a statement. A duplicate is a defect: the gate serializes the writers of these keys. */
  async insert<C>(table: Table<C>, rows: readonly NewRow<Table<C>>[]): Promise<void> {
    for (const part of insertStatement(table, rows)) {
      await this.#run(`insert ${table.name}`, part);
    }
  }

  /**
   * New rows whose keys another door may take at the same time, under no lock that both hold: it was looked at before, so a key that is taken
   * now was taken meanwhile. RetryableFault then; nothing is committed, and the next run finds it.
   */
  async insertRaced<C>(table: Table<C>, rows: readonly NewRow<Table<C>>[]): Promise<void> {
    for (const part of insertStatement(table, rows)) {
      try {
        await this.#run(`insert ${table.name}`, part);
      } catch (error) {
        const duplicate = duplicateKey(error);
        if (duplicate === undefined) throw error;
        throw new RetryableFault('HOUSE:db:Raced', `insert ${table.name}: ${duplicate} was taken meanwhile`);
      }
    }
  }

  /** One new row whose key may be there already: `inserted`, or the unique key that refused it. */
  async insertNew<C>(table: Table<C>, row: NewRow<Table<C>>): Promise<'inserted' | { readonly duplicate: string }> {
    const [part] = insertStatement(table, [row]);
    invariant(part !== undefined, 'HOUSE:db:EmptyInsert', table.name);
    try {
      await this.#run(`insert ${table.name}`, part);
      return 'inserted';
    } catch (error) {
      const duplicate = duplicateKey(error);
      if (duplicate === undefined) throw error;
      return { duplicate };
    }
  }

  #ascend(rank: Rank, values: readonly Param[], name: string): void {
    const key = Buffer.concat(values.map(keyBytes));
    const before = this.#rank;
    if (before !== undefined) {
      const step = placeOf(rank) - placeOf(before);
      invariant(step >= 0, 'HOUSE:db:LockOrder', `${name}: ${rank} after ${before}`);
      const sameRank = step === 0 && this.#key !== undefined;
      invariant(!sameRank || Buffer.compare(this.#key as Buffer, key) <= 0, 'HOUSE:db:LockOrder', `${name}: keys of ${rank} descend`);
    }
    this.#held.add(rank);
    this.#rank = rank;
    this.#key = key;
  }

  async #rows(statement: Statement, bound: Text): Promise<readonly Record<string, unknown>[]> {
    return this.#run<Record<string, unknown>[]>(statement.name, bound);
  }

  async #run<Result>(name: string, bound: Text): Promise<Result> {
    const { connection, door, hook, observe } = this.#context;
    if (!door.names.has(name)) throw new DefectFault('HOUSE:db:NotInDoor', `door ${door.name} has no step ${name}`);
    if (performance.now() - this.#startedAt > TRANSACTION_MS_MAX) {
      throw new RetryableFault('HOUSE:db:TooLong', `${door.name} is open for more than ${TRANSACTION_MS_MAX} ms before ${name}`);
    }
    if (hook) await hook({ door: door.name, step: name, point: `${door.name}/${name}` });
    const started = performance.now();
    try {
      const [result] = await connection.query({ sql: bound.sql, values: [...bound.values], timeout: STATEMENT_MS_MAX });
      return result as Result;
    } finally {
      observe(`${door.name}: ${name}`, (performance.now() - started) / 1000);
    }
  }
}

interface Text {
  readonly sql: string;
  readonly values: readonly Param[];
}

function keyBytes(value: Param): Buffer {
  if (Buffer.isBuffer(value)) return Buffer.concat([value, Buffer.of(0)]);
  return Buffer.from(typeof value === 'bigint' || typeof value === 'number' ? value.toString(16).padStart(16, '0') : `${value ?? ''}\0`);
}

/** IN lists in ascending order, each value once: rows are locked in the order in which the list names them. */
function sorted(params: Params): Params {
  return Object.fromEntries(
    Object.entries(params).map(([key, value]) => [key, Array.isArray(value) ? [...new Set<unknown>(value)].sort(ascending) : value]),
  );
}

function ascending(left: unknown, right: unknown): number {
  if (Buffer.isBuffer(left) && Buffer.isBuffer(right)) return Buffer.compare(left, right);
  return left === right ? 0 : (left as string | number | bigint) < (right as string | number | bigint) ? -1 : 1;
}
