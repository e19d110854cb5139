import { RetryableFault } from '@connector/kernel/faults';
import { Db } from '@connector/platform/db/db';
import { Pool, type PoolOptions } from '@connector/platform/db/pool';
import type { StepPoint } from '@connector/platform/db/step-hook';
import type { TestSchema } from '../database';
import { testDatabase } from '../engine';
import type { Mutation } from './mutation';

type Session = Parameters<NonNullable<PoolOptions['inspect']>>[0];

/** How a door ended. `errno` is the engine's, where it was the engine that ended it. */
export type End =
  | { readonly kind: 'answer'; readonly value: unknown }
  | { readonly kind: 'fault'; readonly fault: string; readonly code: string; readonly errno: number | undefined; readonly detail: string };

/** How a door ends whose COMMIT is withheld. */
export const WITHHELD = 'HOUSE:testing:CommitWithheld';

/** What is done to the doors of one schedule. */
export interface Treatment {
  readonly mutation?: Mutation;
  /** Every door is rolled back where it would commit, so that the next schedule finds the same rows. */
  readonly withhold?: boolean;
}

const PLAIN_READ = /^\/\* (read \S+) \*\/ /;

/** START TRANSACTION fixes nothing under READ COMMITTED, and what follows COMMIT touches no row: neither is a choice. */
const NO_CHOICE = new Set(['begin', 'committed', 'rolled-back']);

/** One session that runs a door, or several one after another, and stops before each of its statements until it is let go on. */
export class Actor {
  readonly #db: Db;
  #treatment: Treatment = {};
  #thread = 0;
  #door = '';
  #free = false;
  #looks = false;
  #inside = false;
  #release: () => void = () => undefined;
  #arrived: () => void = () => undefined;
  #arrival: Promise<void> = Promise.resolve();
  /** The statement that it stands before; undefined while one runs or waits, and after the end. */
  next: string | undefined;
  end: End | undefined;
  /** Transactions that it committed so far. */
  commits = 0;
  /** Statements that it was let run, in order. */
  done: string[] = [];

  constructor({ database }: TestSchema) {
    const { host, port, user, password } = testDatabase();
    const inspect = async (connection: Session): Promise<void> => this.#listen(connection);
    const pool = new Pool({ host, port, user, password, database, size: 1, inspect });
    this.#db = new Db({ pool, hook: (at) => this.#at(at) });
  }

  /** The engine's number of its session. */
  get thread(): number {
    return this.#thread;
  }

  /** Resolves when it stands before its next statement, or has ended. */
  get arrival(): Promise<void> {
    return this.#arrival;
  }

  get arrived(): boolean {
    return this.next !== undefined || this.end !== undefined;
  }

  /** Opens the door; it stops before its first statement. `looks`: its reads outside of transactions are steps as well. */
  start(open: (db: Db) => Promise<unknown>, treatment: Treatment, looks = false): void {
    [this.#treatment, this.#free, this.#looks, this.#inside] = [treatment, false, looks, false];
    [this.next, this.end, this.commits, this.done] = [undefined, undefined, 0, []];
    this.#expect();
    open(this.#db).then(
      (value) => this.#finish({ kind: 'answer', value }),
      (error: unknown) => this.#finish(faultEnd(error)),
    );
  }

  /** Lets the statement run that it stands before. */
  go(): void {
    this.done.push(this.next ?? '');
    this.next = undefined;
    this.#expect();
    this.#release();
  }

  /** Something failed meanwhile: it runs on to its end, so that no transaction stays open with its locks. */
  async letGo(): Promise<void> {
    this.#free = true;
    while (this.end === undefined) {
      this.next = undefined;
      this.#expect();
      this.#release();
      await this.#arrival;
    }
  }

  close(): Promise<void> {
    return this.#db.close();
  }

  #expect(): void {
    this.#arrival = new Promise((resolve) => (this.#arrived = resolve));
  }

  #finish(end: End): void {
    this.end = end;
    this.#arrived();
  }

  async #at({ door, step }: StepPoint): Promise<void> {
    this.#door = door;
    this.#inside = step !== 'committed' && step !== 'rolled-back';
    if (step === 'committed') this.commits += 1;
    if (NO_CHOICE.has(step)) return;
    await this.#stand(step);
    if (step === 'commit' && this.#treatment.withhold) throw new RetryableFault(WITHHELD, 'seen enough');
  }

  async #stand(step: string): Promise<void> {
    if (this.#free) return;
    const released = new Promise<void>((resolve) => (this.#release = resolve));
    this.next = step;
    this.#arrived();
    await released;
  }

  #listen(connection: Session): void {
    this.#thread = connection.threadId;
    const query = connection.query.bind(connection) as (options: unknown) => Promise<unknown>;
    const heard = async (options: string | { readonly sql: string }): Promise<unknown> => {
      const { mutation } = this.#treatment;
      const look = typeof options === 'string' || this.#inside || !this.#looks ? undefined : PLAIN_READ.exec(options.sql)?.[1];
      if (look !== undefined) await this.#stand(look);
      if (typeof options === 'string' || mutation === undefined) return query(options);
      const { sql, before } = mutation.rewrite(this.#door, options.sql);
      const early = before === undefined ? undefined : await query({ ...options, sql: before });
      const answer = await query({ ...options, sql });
      return early ?? answer;
    };
    connection.query = heard as typeof connection.query;
  }
}

function faultEnd(error: unknown): End {
  const {
    name = 'Error',
    code = '',
    message = '',
    cause,
  } = error as { name?: string; code?: string; message?: string; cause?: { errno?: number } };
  return { kind: 'fault', fault: name, code, errno: cause?.errno, detail: message };
}
