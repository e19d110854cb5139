import { Digest } from '@connector/kernel/digest';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { APP, OTHER_APP, PUBLISHER, publicationWorld } from '@connector/testing/fixtures/publication';
import { trustedPublisher } from '@connector/testing/fixtures/registry';
import type { RegisteredRelease } from '../../model/installation/gathered';
import { catalogDoors } from '../../model/paths';
import { judgeTrust } from './judge-trust.step';

const OTHER_PUBLISHER = 'dev.other';
const [EARLIER, LATER] = ['2001-01-02 00:00:00', '2031-01-02 00:00:00'];
let schema: TestSchema;
let release: RegisteredRelease;
/** Of another App, and another version of this one: what is said of them is not said of the release. */
let neighbours: readonly RegisteredRelease[];
let keyId: string;

beforeEach(async () => {
  schema ??= await mainSchema();
  await schema.reset();
  const world = await publicationWorld(schema);
  keyId = world.signer.keyId;
  release = await world.release();
  neighbours = [await world.release(undefined, OTHER_APP), await world.release(undefined, APP, '2.0.0')];
  await trustedPublisher(schema.db, OTHER_PUBLISHER);
});
afterAll(() => schema.close());

/** The faults of the release, and of those beside it. */
async function judged(): Promise<readonly (readonly string[])[]> {
  const all = [release, ...neighbours].map((one) => schema.db.fenced(catalogDoors['open-publication'], (tx) => judgeTrust(tx, one)));
  return (await Promise.all(all)).map((faults) => faults.map(({ code, found }) => `${code} ${found}`));
}
const alone = (...faults: readonly string[]) => [faults, [], []];
const byKey = (...faults: readonly string[]) => [faults, faults, faults];

const texts = (...values: readonly string[]): readonly Buffer[] => values.map((value) => Buffer.from(value));
const block = ({ appId, releaseDigest }: RegisteredRelease) =>
  schema.sql('INSERT INTO cat_release_block (app_id, release_digest, reason, blocked_by) VALUES (?, ?, ?, ?)', [
    ...[...texts(appId), Digest.bytes(releaseDigest)],
    ...texts('x', 'y'),
  ]);
const revoke = (id: string, at: string) =>
  schema.sql('INSERT INTO cat_key_revocation (key_id, reason, revoked_by, revoked_at) VALUES (?, ?, ?, ?)', [...texts(id, 'x', 'y'), at]);
const transfer = () =>
  schema.sql(
    'INSERT INTO cat_ownership_event (app_id, ownership_epoch, kind, old_publisher_id, new_publisher_id, accepted_by) VALUES (?, 2, ?, ?, ?, ?)',
    texts(APP, 'transfer', PUBLISHER, OTHER_PUBLISHER, 'y'),
  );

describe('judge-trust, each fact alone', () => {
  it('trusted: cat:PREP-01 an attested release of its owner, under a key that stands', async () => {
    expect(await judged()).toEqual(alone());
  });

  it.each([
    ['cat:A-18 the key was over by then', 'valid_until = ?', EARLIER, 'KEY_EXPIRED refused'],
    ['cat:A-18 the key had not begun by then', 'valid_from = ?', LATER, 'KEY_NOT_YET_VALID refused'],
    ['cat:PUB-03 the key is of another publisher', 'publisher_id = ?', Buffer.from(OTHER_PUBLISHER), 'KEY_FOREIGN refused'],
    ['cat:ATT-04 the key is another one', 'public_key = ?', Buffer.alloc(32, 'x'), 'ATTESTATION_MISMATCH refused'],
    ['cat:PUB-03 nobody has the key', 'key_id = ?', Buffer.from('gone'), 'KEY_UNKNOWN refused'],
  ])('refused: cat:PREP-01 %s', async (_what, set, value, fault) => {
    await schema.sql(`UPDATE cat_publisher_key SET ${set} WHERE key_id = ?`, [value, ...texts(keyId)]);
    expect(await judged()).toEqual(byKey(fault));
  });

  it.each([EARLIER, LATER])(
    'refused: cat:PREP-01 cat:A-18 a key that is revoked, before the registration or after it, at %s',
    async (at) => {
      await revoke(keyId, at);
      expect(await judged()).toEqual(byKey('KEY_REVOKED refused'));
    },
  );

  it('trusted: cat:A-18 what is revoked is another key', async () => {
    await revoke('another', EARLIER);
    expect(await judged()).toEqual(alone());
  });

  it('refused: cat:PREP-01 cat:A-39 a release that is blocked, and neither another App’s nor another version', async () => {
    await block(release);
    expect(await judged()).toEqual(alone('RELEASE_BLOCKED blocked'));
  });

  it('refused: cat:PREP-01 cat:A-44 somebody else owned the App in the epoch of the registration', async () => {
    await schema.sql('UPDATE cat_ownership_event SET new_publisher_id = ? WHERE app_id = ?', texts(OTHER_PUBLISHER, APP));
    const stale = [`OWNERSHIP_EPOCH_STALE ${OTHER_PUBLISHER}`];
    expect(await judged()).toEqual([stale, [], stale]);
  });

  it('trusted: cat:A-44 somebody else owns the App since', async () => {
    await transfer();
    expect(await judged()).toEqual(alone());
  });

  it.each([
    ['nobody owned the App', 3, 'nobody'],
    ['the next owner had the App', 2, OTHER_PUBLISHER],
  ])('refused: cat:PREP-01 cat:A-44 in the epoch that stands with the release %s', async (_what, epoch, found) => {
    await transfer();
    const values = [epoch, ...texts(APP), Digest.bytes(release.releaseDigest)];
    await schema.sql('UPDATE cat_app_release SET ownership_epoch = ? WHERE app_id = ? AND release_digest = ?', values);
    expect(await judged()).toEqual(alone(`OWNERSHIP_EPOCH_STALE ${found}`));
  });

  it('refused: cat:PREP-01 cat:FAIL-04 every fact that fails is told at once', async () => {
    await Promise.all([transfer(), block(release), revoke(keyId, LATER)]);
    await schema.sql('UPDATE cat_ownership_event SET new_publisher_id = ? WHERE app_id = ?', texts(OTHER_PUBLISHER, APP));
    const [all] = await judged();
    expect(all).toEqual(['KEY_REVOKED refused', `OWNERSHIP_EPOCH_STALE ${OTHER_PUBLISHER}`, 'RELEASE_BLOCKED blocked']);
  });
});
