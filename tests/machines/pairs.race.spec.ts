import { randomBytes } from 'node:crypto';
import { RetryableFault } from '@connector/kernel/faults';
import type { Db } from '@connector/platform/db/db';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { readyDoors, type ReadyDoor } from './doors';

const ABORT = 'HOUSE:testing:Aborted';

/** One session that opens doors, is called at every point inside, and never commits: the next pair finds what this one found. */
class Actor {
  readonly db: Db;
  at: (point: number) => Promise<void> | void = () => undefined;
  step = '';
  #point = 0;

  constructor(schema: TestSchema) {
    this.db = schema.another(async ({ step }) => {
      this.step = step;
      this.#point += 1;
      await this.at(this.#point);
      if (step === 'commit') throw new RetryableFault(ABORT, 'seen enough');
    });
  }

  /** Points met since the door was opened. */
  get points(): number {
    return this.#point;
  }

  /** How the door ended. */
  async open(door: ReadyDoor): Promise<string> {
    this.#point = 0;
    try {
      await door.open(this.db);
      return 'committed';
    } catch (error) {
      return (error as { code?: string }).code ?? String(error);
    }
  }
}

let schema: TestSchema;
let doors: readonly ReadyDoor[];
let ahead: Actor;
let behind: Actor;

beforeAll(async () => {
  schema = await mainSchema();
  doors = await readyDoors(schema);
  [ahead, behind] = [new Actor(schema), new Actor(schema)];
});
afterAll(() => schema.close());

/** Resolves when `running` has ended, or when two looks in a row find it at one statement: then it waits. */
async function endedOrWaiting(running: Promise<unknown>): Promise<void> {
  let ended = false;
  void running.then(() => (ended = true));
  for (let look = 0, before = ''; look < 500 && !ended; look += 1) {
    const { step } = behind;
    const sees = 'SELECT 1 FROM information_schema.processlist WHERE db = ? AND info LIKE ?';
    const here = (await schema.sql(sees, [schema.database, `/* ${step} */%`])).length > 0 ? step : '';
    if (here !== '' && here === before) return;
    before = here;
  }
}

/** `first` stops at its `stop`-th point with what it holds by then; `second` runs until it ends or waits; then both go on. */
async function meet(first: ReadyDoor, second: ReadyDoor, stop: number): Promise<readonly string[]> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const stopped = new Promise<void>((arrive) => {
    ahead.at = (point) => {
      if (point !== stop) return undefined;
      arrive();
      return released;
    };
  });
  const one = ahead.open(first);
  await Promise.race([stopped, one]);
  const two = behind.open(second);
  await endedOrWaiting(two);
  release();
  return Promise.all([one, two]);
}

describe('every pair of doors', () => {
  it('no deadlock: con:SM-ALL-05 one stopped somewhere inside, the other run into it, and both go on to their end', async () => {
    const seed = randomBytes(4).readUInt32BE();
    let state = seed;
    const below = (count: number): number => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) % count;
    const wrong: string[] = [];
    const points = new Map<string, number>();
    for (const door of doors) {
      expect([door.name, await ahead.open(door)]).toEqual([door.name, ABORT]);
      points.set(door.name, ahead.points);
    }
    const pairs = doors.flatMap((one, index) => doors.slice(index).map((other) => [one, other] as const));
    for (const pair of pairs) {
      const [first, second] = below(2) === 0 ? pair : ([pair[1], pair[0]] as const);
      const stop = 3 + below((points.get(first.name) ?? 3) - 2);
      const codes = await meet(first, second, stop);
      if (codes.some((code) => code !== ABORT)) wrong.push(`${first.name} stopped at ${stop}, ${second.name}: ${codes.join(', ')}`);
    }
    console.log(`${pairs.length} pairs of ${doors.length} doors, seed ${seed}`);
    expect(wrong).toEqual([]);
  }, 60_000);
});
