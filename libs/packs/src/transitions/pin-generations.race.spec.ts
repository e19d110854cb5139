import { Digest } from '@connector/kernel/digest';
import { EpochId } from '@connector/kernel/ids';
import { type Admin, openAdmin } from '@connector/platform/db/admin';
import type { Db } from '@connector/platform/db/db';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { testDatabase } from '@connector/testing/engine';
import { registeredGenerations } from '@connector/testing/fixtures/registered-pack';
import { Signals, somebodyWaitsAt } from '@connector/testing/signals';
import type { GenerationName } from '../model/pins';
import { readPins } from '../reads/pins';
import { pinGenerations, type PinnedGenerations } from './pin-generations.tx';

let schema: TestSchema;
let one: GenerationName;
let two: GenerationName;
let retention: Admin;

beforeAll(async () => {
  schema = await mainSchema();
  const { host, port, user, password } = await testDatabase();
  retention = await openAdmin({ host, port, user, password });
  await retention.query(`USE ${schema.database}`);
});
beforeEach(async () => {
  await schema.reset();
  [one, two] = (await registeredGenerations(schema.db, '1.0.0', '1.1.0')) as [GenerationName, GenerationName];
});
afterAll(async () => {
  await retention.close();
  await schema.close();
});

const epochId = EpochId.mint();
const digestOf = (word: string) => Digest.sha256(Buffer.from(word));
const pin = (word: string, generation: () => GenerationName) => (db: Db) =>
  pinGenerations(db, { epochId, epochDigest: digestOf(word), generations: [generation()] });

/** `first` stands before its COMMIT with what it holds until the other one waits at `step`. */
async function inOrder<T>(first: (db: Db) => Promise<PinnedGenerations>, step: string, second: () => Promise<T>) {
  const signals = new Signals();
  const stop = signals.stopAt('pin-generations/commit');
  const ahead = first(schema.another(signals.hook));
  await stop.reached;
  const behind = second();
  await somebodyWaitsAt(schema, step);
  stop.release();
  return [await ahead, await behind] as const;
}

describe('pin-generations › race: pin | pin', () => {
  it.each([['a', 'b'] as const, ['b', 'a'] as const])(
    'conflicting-pin: of two digests for one epoch %s came first',
    async (ahead, behind) => {
      const second = () => pin(behind, () => two)(schema.another());
      const answers = await inOrder(
        pin(ahead, () => one),
        'insert pck_epoch_pin',
        second,
      );
      expect(answers).toEqual([{ kind: 'pinned' }, { kind: 'conflicting-pin', epochDigest: digestOf(ahead) }]);
      expect(await readPins(schema.db, epochId)).toMatchObject({ epochDigest: digestOf(ahead), storageIds: [one.storageId] });
    },
  );

  it('pinned: both, where they say the same', async () => {
    const same = pin('a', () => one);
    const answers = await inOrder(same, 'lock pck_generation', () => same(schema.another()));
    expect(answers).toEqual([{ kind: 'pinned' }, { kind: 'pinned' }]);
  });
});

const LOCKS = 'lock by retention';
/** What a retention will have to do, by hand, since nothing of the product takes a generation away yet: lock it, ask the pins, then act. */
async function takeAway(storageId: string, holding: () => Promise<void> = () => Promise.resolve()): Promise<'kept' | 'gone'> {
  await retention.query('START TRANSACTION');
  await retention.query(`/* ${LOCKS} */ SELECT storage_id FROM pck_generation WHERE storage_id = ? FOR UPDATE`, [storageId]);
  const [pinned] = await retention.query('SELECT epoch_id FROM pck_generation_pin WHERE storage_id = ? LIMIT 1', [storageId]);
  await holding();
  if (pinned === undefined) await retention.query('DELETE FROM pck_generation WHERE storage_id = ?', [storageId]);
  await retention.query('COMMIT');
  return pinned === undefined ? 'gone' : 'kept';
}

describe('pin-generations › race: pin | retention', () => {
  it('pinned: cat:INT-13 con:DEFN-M con:PRF-04 whoever would take the generation away waits for the pin and finds it', async () => {
    const [pinned, taken] = await inOrder(
      pin('a', () => one),
      LOCKS,
      () => takeAway(one.storageId),
    );
    expect([pinned, taken]).toEqual([{ kind: 'pinned' }, 'kept']);
  });

  it('absent: cat:INT-13 con:DEFN-M con:PRF-04 a pin that comes second waits, and pins nothing of what is gone', async () => {
    let pinning: Promise<PinnedGenerations> | undefined;
    const taken = await takeAway(one.storageId, async () => {
      pinning = pin('a', () => one)(schema.another());
      await somebodyWaitsAt(schema, 'lock pck_generation');
    });
    expect([taken, await pinning]).toEqual(['gone', { kind: 'absent', code: 'GENERATION_ABSENT', which: [one] }]);
    expect(await readPins(schema.db, epochId)).toMatchObject({ kind: 'absent' });
  });
});
