import type { Instant } from '@connector/kernel/brand';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { asking, LONG_AGO, signer, trustedPublisher } from '@connector/testing/fixtures/registry';
import { countOf } from '@connector/testing/fixtures/serving';
import { PublisherId } from '../../model/identifier';
import type { KeyId } from '../../model/signing';
import { addPublisherKey, type AddPublisherKey } from './add-publisher-key.tx';
import { registerPublisher } from './register-publisher.tx';
import { revokePublisherKey } from './revoke-publisher-key.tx';

let schema: TestSchema;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

const NORTH = PublisherId.parse('dev.north');
const SOUTH = PublisherId.parse('dev.south');
const AT = '2026-01-01T00:00:00.000000Z' as Instant;
const register = (publisherId = NORTH, appPrefixes = [publisherId], request = asking()) =>
  registerPublisher(schema.db, { publisherId, appPrefixes }, request);
const written = async (): Promise<readonly number[]> =>
  Promise.all(
    ['cat_publisher', 'cat_publisher_key', 'cat_key_revocation', 'cat_request', 'cat_audit'].map((table) => countOf(schema, table)),
  );

describe('register-publisher', () => {
  it('registered: the identity with its granted prefixes, in one commit with its request and its audit row (cat:PUB-01, cat:A-47)', async () => {
    const granted = [PublisherId.parse('org.z'), NORTH];
    expect(await register(NORTH, granted)).toEqual({ kind: 'registered', publisherId: NORTH, appPrefixes: [NORTH, 'org.z'] });
    expect(await written()).toEqual([1, 0, 0, 1, 1]);
  });

  it('already-registered: the same again under another request writes nothing', async () => {
    await register();
    const before = await written();
    expect(await register()).toEqual({ kind: 'already-registered', publisherId: NORTH, appPrefixes: [NORTH] });
    expect(await written()).toEqual(before);
  });

  it('registered: the same request again is answered as the first time', async () => {
    const request = asking();
    expect(await register(NORTH, [NORTH], request)).toEqual(await register(NORTH, [NORTH], request));
    expect(await written()).toEqual([1, 0, 0, 1, 1]);
  });

  it('refused: a request key that stands for another asking, and nothing is written', async () => {
    await register(NORTH, [NORTH], asking('k', 'one'));
    await expect(register(SOUTH, [SOUTH], asking('k', 'other'))).rejects.toMatchObject({ code: 'HOUSE:catalog:RequestReused' });
    expect(await written()).toEqual([1, 0, 0, 1, 1]);
  });

  it('conflicting-publisher: other prefixes are refused with those that stand', async () => {
    await register();
    expect(await register(NORTH, [SOUTH])).toEqual({ kind: 'conflicting-publisher', publisherId: NORTH, appPrefixes: [NORTH] });
  });

  it('already-registered: of concurrent registrations one stores the publisher', async () => {
    const kinds = (await Promise.all([1, 2, 3].map(() => register()))).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['already-registered', 'already-registered', 'registered']);
  });

  it('two publishers: identities are the same only when their bytes are (cat:ID-06, cat:A-41)', async () => {
    await register();
    const found = (text: string) => schema.sql('SELECT publisher_id FROM cat_publisher WHERE publisher_id = ?', [Buffer.from(text)]);
    expect(await Promise.all(['dev.north', 'dev.north ', 'DEV.north', 'dev.nort'].map(async (text) => (await found(text)).length))).toEqual(
      [1, 0, 0, 0],
    );
    await schema.sql('INSERT INTO cat_publisher (publisher_id) VALUES (?), (?)', [Buffer.from('dev.north '), Buffer.from('Dev.north')]);
    expect(await found('dev.north')).toHaveLength(1);
  });
});

describe('add-publisher-key', () => {
  const key = signer();
  const add = (change: Partial<AddPublisherKey> = {}, request = asking()) =>
    addPublisherKey(schema.db, { publisherId: NORTH, publicKey: key.publicKey, validFrom: LONG_AGO, validUntil: AT, ...change }, request);

  it('added: a key under its window; the publisher is another fact and does not change (cat:PUB-02, cat:PUB-03)', async () => {
    await register();
    expect(await add()).toEqual({ kind: 'added', keyId: key.keyId });
    expect(await add({ publicKey: signer().publicKey })).toMatchObject({ kind: 'added' });
    expect(await written()).toEqual([1, 2, 0, 3, 3]);
  });

  it('already-added: the same key with the same window again', async () => {
    await register();
    await add();
    expect(await add()).toEqual({ kind: 'already-added', keyId: key.keyId });
  });

  it('key-revoked: a key that was revoked is not accepted again, with any window, and it is told when, by whom and why (cat:A-18)', async () => {
    await register();
    await add();
    const asked = asking();
    await revokePublisherKey(schema.db, { publisherId: NORTH, keyId: key.keyId, reason: 'lost' }, asked);
    const before = await written();
    const revoked = {
      kind: 'key-revoked',
      keyId: key.keyId,
      revokedAt: expect.stringMatching(/Z$/),
      revokedBy: asked.caller,
      reason: 'lost',
    };
    expect(await add()).toEqual(revoked);
    expect(await add({ validUntil: null })).toEqual(revoked);
    expect(await written()).toEqual(before);
    await register(SOUTH);
    expect(await add({ publisherId: SOUTH })).toMatchObject({ kind: 'conflicting-key', publisherId: NORTH });
  });

  it('unknown-publisher: nobody that the operator trusts', async () => {
    expect(await add()).toEqual({ kind: 'unknown-publisher', publisherId: NORTH });
    expect(await written()).toEqual([0, 0, 0, 0, 0]);
  });

  it.each<[string, Partial<AddPublisherKey>]>([
    ['another end', { validUntil: null }],
    ['another beginning', { validFrom: '2002-01-01T00:00:00.000000Z' as Instant }],
    ['another publisher', { publisherId: SOUTH }],
  ])('conflicting-key: %s for a key that stands', async (_, change) => {
    await register();
    await register(SOUTH);
    await add();
    const standing = { publisherId: NORTH, validFrom: LONG_AGO, validUntil: AT };
    expect(await add(change)).toEqual({ kind: 'conflicting-key', keyId: key.keyId, ...standing });
  });

  it('refused: a key of small order, under which anybody could sign, and nothing is written (cat:PUB-03)', async () => {
    await register();
    const before = await written();
    await expect(add({ publicKey: Buffer.alloc(32) })).rejects.toMatchObject({ code: 'CATALOG:KEY_NOT_CANONICAL' });
    expect(await written()).toEqual(before);
  });

  it('refused: a window that ends before it begins, and a key of another length', async () => {
    await register();
    await expect(add({ validUntil: LONG_AGO })).rejects.toMatchObject({ code: 'HOUSE:catalog:KeyWindow' });
    await expect(add({ publicKey: Buffer.alloc(31) })).rejects.toMatchObject({ code: 'CATALOG:KEY_NOT_CANONICAL' });
  });
});

describe('revoke-publisher-key', () => {
  const revoke = (keyId: KeyId, publisherId = NORTH, request = asking()) =>
    revokePublisherKey(schema.db, { publisherId, keyId, reason: 'lost' }, request);

  it('revoked: by a row that closes the key; the key itself stays (cat:A-18)', async () => {
    const { keyId } = await trustedPublisher(schema.db, NORTH);
    expect(await revoke(keyId)).toMatchObject({ kind: 'revoked', keyId });
    expect(await written()).toEqual([1, 1, 1, 3, 3]);
  });

  it('already-revoked: the first revocation stands', async () => {
    const { keyId } = await trustedPublisher(schema.db, NORTH);
    const first = await revoke(keyId);
    expect(await revoke(keyId)).toEqual({ ...first, kind: 'already-revoked' });
    expect(await countOf(schema, 'cat_key_revocation')).toBe(1);
  });

  it('unknown-key: none at all, or one of another publisher', async () => {
    const { keyId } = await trustedPublisher(schema.db, NORTH);
    await register(SOUTH);
    expect(await revoke(signer().keyId)).toMatchObject({ kind: 'unknown-key' });
    expect(await revoke(keyId, SOUTH)).toEqual({ kind: 'unknown-key', keyId });
    expect(await countOf(schema, 'cat_key_revocation')).toBe(0);
  });
});
