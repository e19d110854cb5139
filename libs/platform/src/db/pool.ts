import { createConnection, type Connection, type ConnectionOptions } from 'mysql2/promise';
import { RetryableFault } from '@connector/kernel/faults';
import { faultOf } from './errors';

export interface PoolOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** Connections at most; 8 to 16 a process are enough on any gate (stack 2.1). */
  readonly size: number;
  /** Callers that may wait for a connection at most; one more is refused at once. */
  readonly waiting?: number;
  readonly acquireMs?: number;
  readonly lockWaitSeconds?: number;
  /** Looks at every new session before its first use; what it throws refuses the session. */
  readonly inspect?: (connection: Connection) => Promise<void>;
}

interface Waiter {
  readonly give: (connection: Connection) => void;
  readonly refuse: (reason: Error) => void;
  readonly timer: NodeJS.Timeout;
}

const SESSION = [
  "SET SESSION time_zone = '+00:00'",
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'",
];

/**
 * A bounded pool of prepared sessions. The driver's own pool waits for ever when it is empty and hands out connections with
 * whatever session state the last user left; this one bounds the wait, and a connection comes back only when its transaction ended.
 */
export class Pool {
  readonly #options: PoolOptions;
  readonly #idle: Connection[] = [];
  readonly #waiters: Waiter[] = [];
  readonly #broken = new WeakSet<Connection>();
  #open = 0;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get database(): string {
    return this.#options.database;
  }

  async acquire(): Promise<Connection> {
    if (this.#closed) throw new RetryableFault('HOUSE:db:PoolClosed', 'the pool is closed');
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#open < this.#options.size) return this.#connect();
    if (this.#waiters.length >= (this.#options.waiting ?? 256))
      throw new RetryableFault('HOUSE:db:PoolBusy', 'too many callers wait for a connection');
    return new Promise((give, refuse) => {
      const waiter: Waiter = { give, refuse, timer: setTimeout(() => this.#giveUp(waiter), this.#options.acquireMs ?? 5000) };
      this.#waiters.push(waiter);
    });
  }

  /** Back after COMMIT or ROLLBACK answered. */
  release(connection: Connection): void {
    if (this.#broken.has(connection)) return this.destroy(connection);
    const waiter = this.#waiters.shift();
    if (waiter) {
      clearTimeout(waiter.timer);
      waiter.give(connection);
    } else if (this.#closed) {
      this.destroy(connection);
    } else {
      this.#idle.push(connection);
    }
  }

  /** For a connection whose state nobody knows: it never comes back. */
  destroy(connection: Connection): void {
    this.#open -= 1;
    connection.destroy();
    const waiter = this.#closed ? undefined : this.#waiters.shift();
    if (!waiter) return;
    clearTimeout(waiter.timer);
    this.#connect().then(waiter.give, waiter.refuse);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const waiter of this.#waiters.splice(0)) {
      clearTimeout(waiter.timer);
      waiter.refuse(new RetryableFault('HOUSE:db:PoolClosed', 'the pool is closed'));
    }
    const idle = this.#idle.splice(0);
    this.#open -= idle.length;
    await Promise.all(idle.map((connection) => connection.end().catch(() => connection.destroy())));
  }

  #giveUp(waiter: Waiter): void {
    const at = this.#waiters.indexOf(waiter);
    if (at < 0) return;
    this.#waiters.splice(at, 1);
    waiter.refuse(new RetryableFault('HOUSE:db:PoolWait', 'no connection came free in time'));
  }

  /**
   * The server went away. In use, its user is told by what it asks; at rest, nobody would be: after an outage every session at rest would
   * cost its next user a failure, one after the other, and readiness as many.
   */
  #broke(connection: Connection): void {
    this.#broken.add(connection);
    const at = this.#idle.indexOf(connection);
    if (at < 0) return;
    this.#idle.splice(at, 1);
    this.destroy(connection);
  }

  async #connect(): Promise<Connection> {
    this.#open += 1;
    let connection: Connection | undefined;
    try {
      connection = await createConnection(connectionOptions(this.#options));
      const made = connection;
      made.on('error', () => this.#broke(made));
      for (const sql of SESSION) await connection.query(sql);
      await connection.query(`SET SESSION innodb_lock_wait_timeout = ${this.#options.lockWaitSeconds ?? 3}`);
      await this.#options.inspect?.(connection);
      return connection;
    } catch (error) {
      this.#open -= 1;
      connection?.destroy();
      throw faultOf(error, 'connect', false);
    }
  }
}

function connectionOptions(options: PoolOptions): ConnectionOptions {
  const { host, port, user, password, database } = options;
  return {
    host,
    port,
    user,
    password,
    database,
    charset: 'utf8mb4',
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
    multipleStatements: false,
    enableKeepAlive: true,
    connectTimeout: 5000,
    flags: ['FOUND_ROWS'],
  };
}
