import { RetryableFault } from '@connector/kernel/faults';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { asking, register, signedTransfer, trustedPublisher } from '@connector/testing/fixtures/registry';
import { APP, builtRelease, type BuiltRelease, type SlotSpec } from '@connector/testing/fixtures/release';
import { countOf } from '@connector/testing/fixtures/serving';
import { Signals, somebodyWaitsAt } from '@connector/testing/signals';
import { acceptTransfer } from './accept-transfer.tx';
import { offerTransfer } from './offer-transfer.tx';
import { revokePublisherKey } from './revoke-publisher-key.tx';

type Trusted = Awaited<ReturnType<typeof trustedPublisher>>;
let schema: TestSchema;
let north: Trusted;
let south: Trusted;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(begin);
afterAll(() => schema.close());

async function begin(): Promise<void> {
  await schema.reset();
  north = await trustedPublisher(schema.db, 'dev.north', ['dev.north', 'dev.south']);
  south = await trustedPublisher(schema.db, 'dev.south', ['dev.north', 'dev.south']);
}

/** As its caller runs it: again after a fault that says so. */
type Act = (db: Db) => Promise<unknown>;
const registering =
  (key: Trusted, release: BuiltRelease, request = asking()): Act =>
  async (db) => {
    const answer = await retrying(ANSWER_SOON, () => register(db, key, release, request));
    return 'code' in answer ? answer.code : answer.kind;
  };

interface Meeting {
  readonly door: string;
  /** Where the first stands still meanwhile; at its commit where nothing is said. */
  readonly stands?: string;
  /** Where the second waits for the first. */
  readonly at: string;
}
/** `first` holds what it has while `second` comes and waits; then both go on. */
async function inOrder({ door, stands = 'commit', at }: Meeting, first: Act, second: Act): Promise<readonly unknown[]> {
  const signals = new Signals();
  const stop = signals.stopAt(`${door}/${stands}`);
  const one = first(schema.another(signals.hook));
  await stop.reached;
  const two = second(schema.another());
  await somebodyWaitsAt(schema, at).finally(stop.release);
  return Promise.all([one, two]);
}

const of = (publisherId: string, version = '1.0.0', layouts: Readonly<Record<string, number>> = { a: 1 }) =>
  builtRelease({ publisherId, version, layouts });

describe('register-release › race: two publishers, one AppID', () => {
  it.each([
    ['at its commit', { door: 'register-release', at: 'lock cat_app_ownership' }],
    ['behind its first row', { door: 'register-release', stands: 'insert cat_app_ownership', at: 'insert cat_app' }],
  ])('refused: whichever reserves first has it, whatever its version, where the other comes %s (cat:ID-13)', async (_, meeting) => {
    const low = () => registering(north, of('dev.north', '0.0.1'));
    const high = () => registering(south, of('dev.south', '99.0.0'));
    expect(await inOrder(meeting, low(), high())).toEqual(['registered', 'APP_ID_RESERVED']);
    expect(await countOf(schema, 'cat_app')).toBe(1);
    await begin();
    expect(await inOrder(meeting, high(), low())).toEqual(['registered', 'APP_ID_RESERVED']);
    expect(await countOf(schema, 'cat_app')).toBe(1);
  });

  it('registered: the second reserves it where the first came to nothing', async () => {
    const failing = schema.another(async ({ step }) => {
      if (step !== 'insert cat_app_ownership') return;
      arrive();
      await somebodyWaitsAt(schema, 'insert cat_app');
      throw new RetryableFault('HOUSE:test:Dies', 'it dies here');
    });
    let arrive = (): void => undefined;
    const reached = new Promise<void>((resolve) => (arrive = resolve));
    const one = register(failing, north, of('dev.north')).catch(() => 'died');
    await reached;
    const two = registering(south, of('dev.south'))(schema.another());
    expect(await Promise.all([one, two])).toEqual(['died', 'registered']);
    expect(await schema.sql('SELECT first_publisher_id FROM cat_app')).toEqual([{ first_publisher_id: Buffer.from('dev.south') }]);
  });
});

describe('register-release › race: one version, two digests', () => {
  it.each([
    ['of a first release', false],
    ['of a further one', true],
  ])('conflicting-release: %s, one digest is stored in either order (cat:REG-02, cat:INST-17)', async (_, reserved) => {
    const [one, other] = [of('dev.north'), of('dev.north', '1.0.0', { a: 2 })];
    for (const [first, second] of [
      [one, other],
      [other, one],
    ] as const) {
      await begin();
      if (reserved) await register(schema.db, north, of('dev.north', '0.9.0'));
      const meeting = { door: 'register-release', at: 'lock cat_publisher' };
      expect(await inOrder(meeting, registering(north, first), registering(north, second))).toEqual(['registered', 'SEMVER_TAKEN']);
      expect(await schema.sql("SELECT release_digest FROM cat_app_release WHERE semantic_version = '1.0.0'")).toHaveLength(1);
    }
  });

  it('already-registered: the same release at the same time is stored once (cat:REG-08)', async () => {
    const act = registering(north, of('dev.north'));
    const kinds = await Promise.all([1, 2, 3, 4].map(() => registering(north, of('dev.north'))(schema.another())));
    expect([...kinds].sort()).toEqual(['already-registered', 'already-registered', 'already-registered', 'registered']);
    expect(await act(schema.db)).toBe('already-registered');
  });
});

describe('register-release › race: two Apps, one component', () => {
  it('refused: the component is of whichever committed first (cat:BUN-21, cat:REG-10, cat:INST-17)', async () => {
    const namespace = 'dev.shared.layouts';
    const mine = builtRelease({ appId: 'dev.north.desk', namespace, layouts: { a: 1 } });
    const theirs = builtRelease({ appId: 'dev.south.desk', publisherId: 'dev.south', namespace, layouts: { a: 1 } });
    const meeting = { door: 'register-release', at: 'insert cat_metadata_bundle' };
    expect(await inOrder(meeting, registering(north, mine), registering(south, theirs))).toEqual(['registered', 'COMPONENT_OWNED']);
    expect(await countOf(schema, 'cat_app')).toBe(1);
  });
});

describe('register-release › race: transfer | registration', () => {
  const transferring: Act = async (db) => {
    const offered = await offerTransfer(db, signedTransfer(north, { appId: APP, from: 'dev.north', to: 'dev.south' }), asking());
    if (!('transferId' in offered)) throw new Error(`expected an offer, found ${offered.code}`);
    return (await acceptTransfer(db, { appId: offered.appId, transferId: offered.transferId }, asking())).kind;
  };

  it('refused: a registration that waited for the transfer is judged by the new owner (cat:PUB-14)', async () => {
    await register(schema.db, north, of('dev.north', '0.9.0'));
    const meeting = { door: 'accept-transfer', at: 'lock cat_publisher' };
    expect(await inOrder(meeting, transferring, registering(north, of('dev.north')))).toEqual(['transferred', 'APP_ID_RESERVED']);
    expect(await countOf(schema, 'cat_app_release')).toBe(1);
  });

  it('registered: a registration that was first is of the epoch before (cat:PUB-14)', async () => {
    await register(schema.db, north, of('dev.north', '0.9.0'));
    const meeting = { door: 'register-release', at: 'lock cat_publisher' };
    expect(await inOrder(meeting, registering(north, of('dev.north')), transferring)).toEqual(['registered', 'transferred']);
    const [row] = await schema.sql("SELECT ownership_epoch AS epoch FROM cat_app_release WHERE semantic_version = '1.0.0'");
    expect(Number(row?.['epoch'])).toBe(1);
  });

  it('transferred: of two transfers from one epoch one wins (cat:PUB-08)', async () => {
    await register(schema.db, north, of('dev.north', '0.9.0'));
    const west = await trustedPublisher(schema.db, 'dev.west');
    const offers = await Promise.all(
      ['dev.south', west.publisherId].map((to) =>
        offerTransfer(schema.db, signedTransfer(north, { appId: APP, from: 'dev.north', to }), asking()),
      ),
    );
    const kinds = await Promise.all(
      offers.map(async (offer) => {
        if (!('transferId' in offer)) throw new Error(`expected an offer, found ${offer.code}`);
        return (await acceptTransfer(schema.another(), { appId: offer.appId, transferId: offer.transferId }, asking())).kind;
      }),
    );
    expect(kinds.sort()).toEqual(['refused', 'transferred']);
    expect(await countOf(schema, 'cat_ownership_event')).toBe(2);
  });
});

describe('register-release › race: revocation | registration', () => {
  it('refused: a registration that waited for the revocation sees it (cat:A-18)', async () => {
    const revoking: Act = async (db) =>
      (await revokePublisherKey(db, { publisherId: north.publisherId, keyId: north.keyId, reason: 'stolen' }, asking())).kind;
    const meeting = { door: 'revoke-publisher-key', at: 'lock cat_publisher' };
    expect(await inOrder(meeting, revoking, registering(north, of('dev.north')))).toEqual(['revoked', 'KEY_REVOKED']);
    expect(await countOf(schema, 'cat_app_release')).toBe(0);
  });
});

describe('register-release › race: successors of one slot', () => {
  const slotted = (version: string, slot: SlotSpec) => builtRelease({ version, layouts: { a: 1, b: 2, c: 3, d: 4, e: 5 }, slots: [slot] });

  it('refused: of concurrent successors one commits and the head moves once (cat:SLOT-33)', async () => {
    await register(schema.db, north, slotted('1.0.0', { key: 'main', version: 1, target: 'a' }));
    const successors = ['b', 'c', 'd', 'e'].map((target, at) => slotted(`2.${at}.0`, { key: 'main', version: 2, target, previous: 'a' }));
    const answers = await Promise.all(successors.map((release) => registering(north, release)(schema.another())));
    expect([...answers].sort()).toEqual(['SLOT_FORK', 'SLOT_FORK', 'SLOT_FORK', 'registered']);
    const [head] = await schema.sql('SELECT head_definition_version AS v FROM cat_slot_head');
    expect([Number(head?.['v']), await countOf(schema, 'cat_slot_revision'), await countOf(schema, 'cat_app_release')]).toEqual([2, 2, 2]);
  });

  it('refused: of concurrent first nodes one commits (cat:SLOT-26)', async () => {
    await register(schema.db, north, builtRelease({ version: '0.9.0' }));
    const firsts = ['a', 'b', 'c'].map((target, at) => slotted(`1.${at}.0`, { key: 'main', version: 1, target }));
    const answers = await Promise.all(firsts.map((release) => registering(north, release)(schema.another())));
    expect([...answers].sort()).toEqual(['SLOT_FORK', 'SLOT_FORK', 'registered']);
    expect(await countOf(schema, 'cat_slot_reservation')).toBe(1);
  });
});
