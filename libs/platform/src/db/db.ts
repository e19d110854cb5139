import type { Connection } from 'mysql2/promise';
import { DefectFault, Fault, invariant } from '@connector/kernel/faults';
import type { Door } from '@connector/kernel/paths';
import type { Params, Statement } from '@connector/kernel/statement';
import { classify, faultOf, isLost } from './errors';
import { FencedTx } from './fenced-tx';
import type { Pool } from './pool';
import type { StepHook } from './step-hook';

/** What a door reports of itself; the telemetry of the process takes it. */
export interface DbObserver {
  /** `paths`: the write paths that the door carries, by name. */
  outcome(door: string, kind: string, paths: string): void;
  statement(name: string, seconds: number): void;
  fault(door: string, fault: Fault): void;
}
const SILENT: DbObserver = { outcome: () => undefined, statement: () => undefined, fault: () => undefined };

export interface DbOptions {
  readonly pool: Pool;
  readonly hook?: StepHook;
  readonly observer?: DbObserver;
}

/**
 * One database as one user. `fenced` is the only way to write: READ COMMITTED, explicit, one door. It returns what the body
 * returned only when COMMIT answered; any other end is a fault that says what the caller does next.
 */
export class Db {
  readonly #pool: Pool;
  readonly #hook: StepHook | undefined;
  readonly #observer: DbObserver;

  constructor(options: DbOptions) {
    this.#pool = options.pool;
    this.#hook = options.hook;
    this.#observer = options.observer ?? SILENT;
  }

  /** Rows of a plain read outside any transaction: for people, for candidates, for immutable facts; never to decide a write. */
  async read<Row>(statement: Statement<Row>, params: Params): Promise<readonly Row[]> {
    invariant(statement.verb === 'read', 'HOUSE:db:StatementVerb', `${statement.name} is no plain read`);
    const connection = await this.#pool.acquire();
    try {
      const bound = statement.bind(params);
      const [rows] = await connection.query({ sql: bound.sql, values: [...bound.values], timeout: 8000 });
      this.#pool.release(connection);
      return (rows as Record<string, unknown>[]).map((raw) => statement.decode(raw));
    } catch (error) {
      this.#pool.destroy(connection);
      throw faultOf(error, statement.name, false);
    }
  }

  async readOne<Row>(statement: Statement<Row>, params: Params): Promise<Row | undefined> {
    return (await this.read(statement, params))[0];
  }

  /** Whether the database answers, bounded. */
  async ping(): Promise<void> {
    const connection = await this.#pool.acquire();
    try {
      await connection.query({ sql: 'SELECT 1', timeout: 2000 });
      this.#pool.release(connection);
    } catch (error) {
      this.#pool.destroy(connection);
      throw faultOf(error, 'ping', false);
    }
  }

  async fenced<T>(door: Door, body: (tx: FencedTx) => Promise<T>): Promise<T> {
    const connection = await this.#pool.acquire();
    try {
      const answer = await this.#transact(connection, door, body);
      this.#count(door, answer);
      return answer;
    } catch (error) {
      const fault = error instanceof Fault ? error : new DefectFault('HOUSE:db:Thrown', `${door.name}: ${String(error)}`, { cause: error });
      this.#observer.fault(door.name, fault);
      throw fault;
    }
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #transact<T>(connection: Connection, door: Door, body: (tx: FencedTx) => Promise<T>): Promise<T> {
    let answer: T;
    try {
      await this.#at(door, 'begin');
      await connection.query(`/* ${door.name} */ START TRANSACTION`);
      answer = await body(
        new FencedTx({ connection, door, hook: this.#hook, observe: (name, seconds) => this.#observer.statement(name, seconds) }),
      );
      await this.#at(door, 'commit');
    } catch (error) {
      await this.#rollBack(connection, door, error);
      throw faultOf(error, door.name, false);
    }
    await this.#commit(connection, door);
    return answer;
  }

  async #commit(connection: Connection, door: Door): Promise<void> {
    try {
      await connection.query({ sql: `/* ${door.name} */ COMMIT`, timeout: 8000 });
    } catch (error) {
      // Nobody may COMMIT or ROLLBACK on this connection again: its transaction may be over, or land later (reliability 3.4).
      this.#pool.destroy(connection);
      throw faultOf(error, `${door.name}/commit`, true);
    }
    this.#pool.release(connection);
    await this.#at(door, 'committed');
  }

  /** 1205 leaves the transaction open with its locks, so every failure rolls back or loses the connection. */
  async #rollBack(connection: Connection, door: Door, cause: unknown): Promise<void> {
    const known = !isLost(cause) && (cause instanceof Fault || ['again', 'duplicate'].includes(classify(cause, false)));
    if (!known) return this.#pool.destroy(connection);
    try {
      await connection.query({ sql: 'ROLLBACK', timeout: 2000 });
      this.#pool.release(connection);
    } catch {
      this.#pool.destroy(connection);
    }
    await this.#at(door, 'rolled-back');
  }

  async #at(door: Door, step: string): Promise<void> {
    if (this.#hook) await this.#hook({ door: door.name, step, point: `${door.name}/${step}` });
  }

  #count(door: Door, answer: unknown): void {
    for (const item of Array.isArray(answer) ? (answer as unknown[]) : [answer]) {
      const kind = typeof item === 'object' && item !== null ? (item as { kind?: unknown }).kind : undefined;
      if (typeof kind === 'string') this.#observer.outcome(door.name, kind, door.paths.join(' '));
    }
  }
}
