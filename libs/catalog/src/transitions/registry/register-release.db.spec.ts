import type { Instant } from '@connector/kernel/brand';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { asking, LONG_AGO, register, rowsOf, signer, trustedPublisher } from '@connector/testing/fixtures/registry';
import { APP, builtRelease, type ReleaseSpec } from '@connector/testing/fixtures/release';
import { countOf } from '@connector/testing/fixtures/serving';
import { attestation, attestationOf, type DetachedAttestation } from '../../model/attestation';
import { AppId, PublisherId } from '../../model/identifier';
import { addPublisherKey } from './add-publisher-key.tx';
import { registerRelease } from './register-release.tx';
import { revokePublisherKey } from './revoke-publisher-key.tx';

let schema: TestSchema;
let north: Awaited<ReturnType<typeof trustedPublisher>>;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  north = await trustedPublisher(schema.db, 'dev.north');
});
afterAll(() => schema.close());

/** What one registration writes, beside its request and its audit row. */
const WRITTEN = [
  'cat_app',
  'cat_app_ownership',
  'cat_ownership_event',
  'cat_metadata_bundle',
  'cat_app_release',
  'cat_release_dependency',
  'cat_component_owner',
  'cat_capability_owner',
  'cat_slot_reservation',
  'cat_slot_revision',
  'cat_slot_head',
  'cat_slot_release_version',
];
const counts = (): Promise<readonly number[]> => Promise.all(WRITTEN.map((table) => countOf(schema, table)));
const NOTHING = WRITTEN.map(() => 0);
const FULL: ReleaseSpec = {
  layouts: { detail: 1, list: 2 },
  slots: [{ key: 'main', version: 1, target: 'detail' }],
  capabilities: ['dev.north.desk.view.v1', 'dev.north.desk.edit.v1'],
  dependencies: [{ app: 'dev.base.objects' }],
};
const send = (spec: ReleaseSpec = FULL, by: Parameters<typeof register>[1] = north) => register(schema.db, by, builtRelease(spec));

describe('register-release', () => {
  it('registered: release, mapping, reservation, owners and slots in one commit (cat:ID-10, cat:REG-06, cat:BUN-21, cat:CAP-06)', async () => {
    const release = builtRelease(FULL);
    expect(await register(schema.db, north, release)).toEqual({
      kind: 'registered',
      appId: APP,
      semanticVersion: '1.0.0',
      releaseDigest: release.releaseDigest,
      bundleDigest: release.bundleDigest,
      publisherId: 'dev.north',
      ownershipEpoch: 1n,
    });
    expect(await counts()).toEqual([1, 1, 1, 1, 1, 1, 3, 2, 1, 1, 1, 1]);
    const [event] = await schema.sql('SELECT kind, old_publisher_id, new_publisher_id FROM cat_ownership_event');
    expect(event).toEqual({ kind: Buffer.from('reserved'), old_publisher_id: null, new_publisher_id: Buffer.from('dev.north') });
  });

  it('already-registered: the same release again is the first result, and no row is new (cat:REG-08)', async () => {
    const first = await send();
    const before = [await counts(), await countOf(schema, 'cat_audit'), await countOf(schema, 'cat_request')];
    expect(await send()).toEqual({ ...first, kind: 'already-registered' });
    expect([await counts(), await countOf(schema, 'cat_audit'), await countOf(schema, 'cat_request')]).toEqual(before);
  });

  it('registered: the same request again is answered as the first time, epoch and all', async () => {
    const request = asking();
    const release = builtRelease(FULL);
    const first = await register(schema.db, north, release, request);
    expect(await register(schema.db, north, release, request)).toEqual(first);
  });

  it('conflicting-release: other bytes under a version are refused with both digests, and the first stay (cat:REG-02, cat:REG-10, cat:FAIL-02)', async () => {
    await send();
    const before = await rowsOf(schema, ...WRITTEN);
    const other = builtRelease({ ...FULL, layouts: { detail: 1, list: 3 } });
    expect(await register(schema.db, north, other)).toEqual({
      kind: 'conflicting-release',
      code: 'SEMVER_TAKEN',
      storedDigest: builtRelease(FULL).releaseDigest,
      givenDigest: other.releaseDigest,
    });
    expect(await rowsOf(schema, ...WRITTEN)).toBe(before);
  });

  it('registered: a second release is of the same reservation, and changes no row of the first (cat:ID-11, cat:REG-03, cat:REG-07)', async () => {
    await send();
    const first = await schema.sql('SELECT * FROM cat_app_release');
    const app = await rowsOf(schema, 'cat_app', 'cat_app_ownership', 'cat_component_owner', 'cat_capability_owner');
    expect(await send({ ...FULL, version: '1.1.0' })).toMatchObject({ kind: 'registered', ownershipEpoch: 1n });
    expect(await schema.sql("SELECT * FROM cat_app_release WHERE semantic_version = '1.0.0'")).toEqual(first);
    expect(await rowsOf(schema, 'cat_app', 'cat_app_ownership', 'cat_component_owner', 'cat_capability_owner')).toBe(app);
  });

  it('registered: two releases of two Apps may have one bundle', async () => {
    await send({});
    expect(await send({ appId: 'dev.north.other', namespace: 'dev.north.desk.layouts' })).toMatchObject({ kind: 'registered' });
    expect([await countOf(schema, 'cat_metadata_bundle'), await countOf(schema, 'cat_app_release')]).toEqual([1, 2]);
  });

  const attestedAs = (release: Parameters<typeof attestationOf>[0], keyId: string): DetachedAttestation => ({
    statement: attestation.build({ ...attestationOf(release, north.keyId), key_id: keyId }).bytes,
    signature: Buffer.alloc(64),
  });
  const SOUTH = PublisherId.parse('dev.south');
  const past = { validFrom: LONG_AGO, validUntil: '2002-01-01T00:00:00.000000Z' as Instant };
  const future = { validFrom: '2900-01-01T00:00:00.000000Z' as Instant, validUntil: null };
  const added = async (publisherId: PublisherId, window: { validFrom: Instant; validUntil: Instant | null }) => {
    const key = signer();
    await addPublisherKey(schema.db, { publisherId, publicKey: key.publicKey, ...window }, asking());
    return key;
  };
  it.each<[string, () => Promise<Pick<ReturnType<typeof signer>, 'attest'>>]>([
    ['KEY_UNKNOWN', () => Promise.resolve(signer())],
    ['KEY_UNKNOWN', () => Promise.resolve({ attest: (release) => attestedAs(release, '\u20ac'.repeat(100)) })],
    ['KEY_FOREIGN', () => trustedPublisher(schema.db, SOUTH)],
    ['KEY_EXPIRED', () => added(north.publisherId, past)],
    ['KEY_NOT_YET_VALID', () => added(north.publisherId, future)],
    [
      'KEY_REVOKED',
      async () => {
        await revokePublisherKey(schema.db, { publisherId: north.publisherId, keyId: north.keyId, reason: 'lost' }, asking());
        return north;
      },
    ],
    ['ATTESTATION_SHAPE', () => Promise.resolve({ attest: () => ({ statement: Buffer.from('{}'), signature: Buffer.alloc(64) }) })],
    ['ATTESTATION_MISMATCH', () => Promise.resolve({ attest: () => north.attest(builtRelease({ version: '9.0.0' })) })],
    [
      'SIGNATURE_INVALID',
      () =>
        Promise.resolve({
          attest: (release: Parameters<typeof north.attest>[0]) => ({ ...north.attest(release), signature: Buffer.alloc(64) }),
        }),
    ],
  ])(
    'refused: %s by the trust registry, and no row is written (cat:PUB-03, cat:PUB-04, cat:REG-01, cat:ATT-05, cat:A-18)',
    async (code, by) => {
      expect(await send(FULL, await by())).toEqual({ kind: 'refused', code, appId: APP, publisherId: 'dev.north' });
      expect(await counts()).toEqual(NOTHING);
    },
  );

  it('refused: PUBLISHER_UNKNOWN for nobody that the operator trusts', async () => {
    const spec = { ...FULL, publisherId: 'dev.nobody' };
    expect(await send(spec)).toMatchObject({ kind: 'refused', code: 'PUBLISHER_UNKNOWN' });
    expect(await counts()).toEqual(NOTHING);
  });

  it('registered: what a key signed stays registered when the key is revoked, and signs nothing further (cat:A-18, cat:REG-07)', async () => {
    await send();
    const before = await rowsOf(schema, ...WRITTEN);
    await revokePublisherKey(schema.db, { publisherId: north.publisherId, keyId: north.keyId, reason: 'lost' }, asking());
    expect(await send({ ...FULL, version: '1.1.0' })).toMatchObject({ kind: 'refused', code: 'KEY_REVOKED' });
    expect(await rowsOf(schema, ...WRITTEN)).toBe(before);
  });

  it.each(['dev.northern.desk', 'dev.south.desk', 'dev.nort.desk'])(
    'refused: APP_ID_OUTSIDE_PREFIX for %s, which no granted prefix holds (cat:A-23)',
    async (appId) => {
      expect(await send({ appId })).toMatchObject({ kind: 'refused', code: 'APP_ID_OUTSIDE_PREFIX', appId });
      expect(await counts()).toEqual(NOTHING);
    },
  );

  it('registered: under any prefix that was granted, which need not be its own name (cat:A-23)', async () => {
    const west = await trustedPublisher(schema.db, 'dev.west', ['org.shared', 'dev.west.tools']);
    const under = (appId: string) => send({ appId, publisherId: 'dev.west' }, west);
    expect((await under('org.shared.desk')).kind).toBe('registered');
    expect((await under('dev.west.tools')).kind).toBe('registered');
    expect(await under('dev.west.other')).toMatchObject({ code: 'APP_ID_OUTSIDE_PREFIX' });
  });

  it('refused: APP_ID_RESERVED names both publishers; a higher version wins nothing (cat:ID-13, cat:PUB-13, cat:REG-10)', async () => {
    await send();
    const before = await rowsOf(schema, ...WRITTEN);
    const other = await trustedPublisher(schema.db, 'dev.other', ['dev.north.desk']);
    expect(await send({ ...FULL, publisherId: 'dev.other', version: '99.0.0' }, other)).toEqual({
      kind: 'refused',
      code: 'APP_ID_RESERVED',
      appId: APP,
      publisherId: 'dev.other',
      ownerPublisherId: 'dev.north',
    });
    expect(await rowsOf(schema, ...WRITTEN)).toBe(before);
  });

  it('refused: COMPONENT_OWNED names the component and both Apps, and nothing of the release is written (cat:BUN-21, cat:REG-06)', async () => {
    await send();
    const claims = { appId: 'dev.north.other', namespace: 'dev.north.desk.layouts', layouts: { detail: 1 } };
    const release = builtRelease(claims);
    expect(await register(schema.db, north, release)).toEqual({
      kind: 'refused',
      code: 'COMPONENT_OWNED',
      componentId: release.bundle.components[0]?.component_id,
      appId: 'dev.north.other',
      ownerAppId: APP,
    });
    expect(await schema.sql("SELECT 1 FROM cat_app WHERE app_id = 'dev.north.other'")).toEqual([]);
  });

  it('refused: CAPABILITY_OWNED names the capability and both Apps, and nothing of the release is written (cat:CAP-06, cat:A-21)', async () => {
    await send();
    expect(await send({ appId: 'dev.north.other', capabilities: ['dev.north.desk.view.v1'] })).toEqual({
      kind: 'refused',
      code: 'CAPABILITY_OWNED',
      capabilityId: 'dev.north.desk.view.v1',
      appId: 'dev.north.other',
      ownerAppId: APP,
    });
    expect(await schema.sql("SELECT 1 FROM cat_app WHERE app_id = 'dev.north.other'")).toEqual([]);
  });

  it('registered: a component that a release drops stays with its first App (cat:BUN-21)', async () => {
    await send();
    await send({ version: '1.1.0' });
    const other = { appId: 'dev.north.other', namespace: 'dev.north.desk.layouts', layouts: { detail: 1 } };
    expect(await send(other)).toMatchObject({ code: 'COMPONENT_OWNED', ownerAppId: APP });
  });

  it('refused: DEPENDENCY_CYCLE for the release that closes one, with the way; out of range it is none (cat:MAN-27, cat:A-15)', async () => {
    const [a, b, c] = ['dev.north.a', 'dev.north.b', 'dev.north.c'].map((id) => AppId.parse(id)) as [AppId, AppId, AppId];
    expect((await send({ appId: a, dependencies: [{ app: b }] })).kind).toBe('registered');
    expect((await send({ appId: b, dependencies: [{ app: c }] })).kind).toBe('registered');
    const closing = await send({ appId: c, dependencies: [{ app: a }] });
    expect(closing).toEqual({ kind: 'refused', code: 'DEPENDENCY_CYCLE', appId: c, way: [c, a, b, c] });
    expect(await schema.sql("SELECT 1 FROM cat_app WHERE app_id = 'dev.north.c'")).toEqual([]);
    expect((await send({ appId: c, dependencies: [{ app: a, from: '1.0.1' }] })).kind).toBe('registered');
  });

  it('registered: 10,000 components in statements of 500 rows (cat:REG-06)', async () => {
    const layouts = Object.fromEntries(Array.from({ length: 9_999 }, (_, at) => [`layout-${at}`, at]));
    const release = builtRelease({ layouts, slots: [{ key: 'main', version: 1, target: 'layout-0' }] });
    const inserts: string[] = [];
    const db = schema.another(({ step }) => void inserts.push(step));
    expect((await register(db, north, release)).kind).toBe('registered');
    expect(inserts.filter((step) => step === 'insert cat_component_owner')).toHaveLength(20);
    expect(await countOf(schema, 'cat_component_owner')).toBe(10_000);
  });

  it('refused: a statement that is not the asking of its request key', async () => {
    const release = builtRelease();
    await register(schema.db, north, release, asking('k', 'one'));
    const attestation = north.attest(release);
    await expect(registerRelease(schema.db, { release, attestation }, asking('k', 'two'))).rejects.toMatchObject({
      code: 'HOUSE:catalog:RequestReused',
    });
  });
});
