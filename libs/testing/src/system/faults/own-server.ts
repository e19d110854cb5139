import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { invariant } from '@connector/kernel/faults';
import type { Engine } from '@connector/platform/engine/engine';
import { resolveEngine } from '@connector/platform/engine/resolve';
import { type TestDatabase, testDatabase } from '../../engine';
import { until, when } from '../until';

const DATA_DIR = join(__dirname, '..', '..', '..', '..', '..', '.connector', 'killed-server');
/** Below what the kernel hands out by itself: nobody may take the place of a server that is down. */
const PLACES = { first: 30_000, width: 8, count: 300 };
const GONE_MS_MAX = 10_000;
/** What the server says when it starts after a kill: transactions that had written and were not committed. */
const ROLLED_BACK = /(\d+) transaction\(s\) which must be rolled back/;

/**
 * A database server of a run's own, for whoever kills it. It has the settings that the product ships with, and the product's own probe
 * refuses it at every start where a COMMIT that was answered would not survive.
 */
export class OwnServer {
  #engine: Engine | undefined;
  #port = PLACES.first + PLACES.width * (process.pid % PLACES.count);

  private constructor() {}

  /** Of the same kind as the server of the test run. One that a run left behind is taken over. */
  static async open(): Promise<OwnServer> {
    const server = new OwnServer();
    await server.#resolve();
    return server;
  }

  get place(): TestDatabase {
    const { host, port, user, password, kind, version, grantsEnforced } = this.#running();
    return { host, port, user, password, kind, version, grantsEnforced };
  }

  /** SIGKILL; returns when it is gone. */
  async kill(): Promise<void> {
    const { pid = 0 } = this.#running();
    invariant(process.kill(pid, 'SIGKILL'), 'HOUSE:testing:NoServer', `process ${pid}`);
    await until('the server is gone', GONE_MS_MAX, () => when(!isThere(pid)));
  }

  /** In the same place on the same data; how many transactions it rolled back. */
  async start(): Promise<number> {
    const { port } = this.place;
    await this.#resolve();
    invariant(this.place.port === port, 'HOUSE:testing:OtherPort', `the server came back on ${this.place.port}`);
    const log = await readFile(join(DATA_DIR, 'engine.log'), 'utf8');
    return Number(ROLLED_BACK.exec(log)?.[1] ?? 0);
  }

  async close(): Promise<void> {
    await this.#engine?.stop();
  }

  async #resolve(): Promise<void> {
    const forced = testDatabase().kind === 'tidb' ? 'tidb' : 'mariadb';
    this.#engine = await resolveEngine({ dataDir: DATA_DIR, forced, portNear: this.#port, env: process.env, mayInstall: false });
    this.#port = this.#engine.port;
  }

  #running(): Engine {
    invariant(this.#engine !== undefined, 'HOUSE:testing:NoServer', 'it was never started');
    return this.#engine;
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
