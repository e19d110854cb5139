import type { TestSchema } from '../database';
import { testDatabase } from '../engine';
import type { Actor } from './actor';

/** A free statement answers well within this; one that does not is asked about. */
const FIRST_MS = 5;
const CAP_MS = 40;
const SOON_MS = 1_000;
/** Past every lock wait of a session (3 s) and every statement of a door (8 s). */
const STUCK_MS = 12_000;

/** Tells a statement that waits for a lock from one that is slow, by asking the engine what the session does. */
export class Waiting {
  readonly #schema: TestSchema;

  constructor(schema: TestSchema) {
    this.#schema = schema;
  }

  /** `arrived`, or `waits`: the engine has the statement and does not answer it while the others stand still. */
  async look(actor: Actor, mayWait: boolean): Promise<'arrived' | 'waits'> {
    const began = performance.now();
    for (let patience = FIRST_MS; ; patience = Math.min(CAP_MS, patience * 2)) {
      if (await within(actor.arrival, patience)) return 'arrived';
      if (mayWait && (await this.#holdsOn(actor))) return actor.arrived ? 'arrived' : 'waits';
      if (performance.now() - began > STUCK_MS) throw new Error(`${actor.done.at(-1) ?? 'a session'} neither answers nor waits`);
    }
  }

  /** Any of these arrives. */
  async any(actors: readonly Actor[]): Promise<void> {
    if (await within(Promise.race(actors.map(({ arrival }) => arrival)), STUCK_MS)) return;
    throw new Error(`all sessions wait: ${actors.map(({ done }) => done.at(-1)).join(', ')}`);
  }

  /** A session that two schedules under the same choices need at the same place. */
  async soon(actor: Actor): Promise<boolean> {
    return within(actor.arrival, SOON_MS);
  }

  async #holdsOn({ thread }: Actor): Promise<boolean> {
    if (testDatabase().kind === 'tidb') {
      const sees = "SELECT 1 FROM information_schema.tidb_trx WHERE session_id = ? AND state = 'LockWaiting'";
      return (await this.#schema.sql(sees, [thread])).length > 0;
    }
    // The views of information_schema are up to 100 ms old; this text is made when it is asked for.
    const [row] = await this.#schema.sql('SHOW ENGINE INNODB STATUS');
    const sessions = String(row?.['Status']).split('---TRANSACTION ');
    return sessions.some((session) => new RegExp(`thread id ${thread}\\b`).test(session) && /^LOCK WAIT/m.test(session));
  }
}

async function within(event: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  try {
    return await Promise.race([event.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
