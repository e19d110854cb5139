import type { Digest } from '@connector/kernel/digest';
import { jcs } from '@connector/kernel/jcs';
import { digestsOf } from '@connector/catalog/contract/artifact-registry';
import { attestation } from '@connector/catalog/model/attestation';
import { checkRelease } from '@connector/catalog/model/release';
import type { RunningService } from '@connector/platform/host/service';
import { catalog } from '@connector/services/catalog/src/catalog.service';
import { type Answered, type Calls, callsTo, tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { asking, LONG_AGO, signedTransfer, signer } from '@connector/testing/fixtures/registry';
import { APP, builtRelease, type BuiltRelease, type ReleaseSpec, slotKey } from '@connector/testing/fixtures/release';
import { countOf } from '@connector/testing/fixtures/serving';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

let schema: TestSchema;
let home: TestHome;
let service: RunningService;
let local: Calls;
const north = signer();
const south = signer();

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await tokensFor(home, 'catalog', ['local', 'operator', 'cutover-coordinator']);
  await tokensFor(home, 'runtime', ['catalog']);
  service = await bootOn(catalog, schema, home);
  local = callsTo(service, 'local');
});
beforeEach(async () => {
  await schema.reset();
  await trusted('dev.north', north);
});
afterAll(async () => {
  await service.stop();
  await schema.close();
  await home.remove();
});

const key = (): string => asking().key;
const base64 = (bytes: Buffer): string => bytes.toString('base64');
const keyOf = ({ publicKey }: typeof north, over: object = {}) => ({ public_key_base64: base64(publicKey), valid_from: LONG_AGO, ...over });
async function trusted(publisher: string, { publicKey }: typeof north): Promise<void> {
  expect((await local.put(`/v1/publishers/${publisher}`, {}, key())).status).toBe(201);
  const { status } = await local.post(`/v1/publishers/${publisher}/keys`, keyOf({ ...north, publicKey }), key());
  expect(status).toBe(201);
}
async function upload({ blobs }: BuiltRelease): Promise<void> {
  for (const blob of blobs) {
    const { componentDigest, rawSha256 } = digestsOf(blob);
    const body = { component_kind: blob.componentKind, component_format_version: blob.formatVersion, raw_sha256: rawSha256 };
    await local.put(`/v1/blobs/sha256/${componentDigest.slice(7)}`, { ...body, bytes_base64: base64(blob.bytes) });
  }
}
const bodyOf = (release: BuiltRelease, by = north) => {
  const { statement, signature } = by.attest(release);
  const attested = { statement_base64: base64(statement), signature_base64: base64(signature) };
  return { manifest_base64: base64(release.manifestBytes), bundle_base64: base64(release.bundleBytes), attestation: attested };
};
async function publish(spec: ReleaseSpec = {}, asked = key(), by = north): Promise<Answered & { release: BuiltRelease }> {
  const release = builtRelease(spec);
  await upload(release);
  return { release, ...(await local.post('/v1/app-releases', bodyOf(release, by), asked)) };
}
const FULL: ReleaseSpec = {
  layouts: { a: 1, b: 2 },
  slots: [{ key: 'main', version: 1, target: 'a' }],
  capabilities: ['dev.north.desk.view.v1'],
};
const written = async (): Promise<number> => (await countOf(schema, 'cat_app_release')) + (await countOf(schema, 'cat_app'));

describe('contract › the App registry answers', () => {
  it('201 for a release, 200 for the same again, 409 with both digests for other bytes under its version (cat:REG-02, cat:REG-08)', async () => {
    const first = await publish(FULL);
    expect([first.status, first.body]).toEqual([
      201,
      {
        kind: 'registered',
        app_id: APP,
        semantic_version: '1.0.0',
        release_digest: first.release.releaseDigest,
        bundle_digest: first.release.bundleDigest,
        publisher_id: 'dev.north',
        ownership_epoch: '1',
      },
    ]);
    const again = await publish(FULL);
    expect([again.status, again.body]).toEqual([200, { ...first.body, kind: 'already-registered' }]);
    const other = await publish({ ...FULL, layouts: { a: 1, b: 3 } });
    expect([other.status, other.body]).toEqual([
      409,
      {
        kind: 'conflicting-release',
        code: 'SEMVER_TAKEN',
        stored_digest: first.release.releaseDigest,
        given_digest: other.release.releaseDigest,
      },
    ]);
    expect(await written()).toBe(2);
  });

  it('201 again for the same Idempotency-Key, 400 for another body under it and for none at all (decisions 12.7)', async () => {
    const asked = key();
    const first = await publish(FULL, asked);
    expect(await publish(FULL, asked)).toMatchObject({ status: 201, body: first.body });
    expect(await publish({ ...FULL, version: '2.0.0' }, asked)).toMatchObject({
      status: 400,
      body: { code: 'HOUSE:catalog:RequestReused' },
    });
    const body = bodyOf(builtRelease());
    expect((await local.post('/v1/app-releases', body)).status).toBe(400);
    expect(await written()).toBe(2);
  });

  it('the whole release by its root, node for node: manifest, bundle and every blob are of their digests, and a version is a label of it (cat:DIG-12, cat:OWN-01, cat:OWN-03, cat:HAND-03, cat:MAN-04)', async () => {
    const { release } = await publish(FULL);
    const found = await local.get(`/v1/app-releases/${APP}/sha256/${release.releaseDigest.slice(7)}`);
    const [manifest, bundle] = ['manifest_base64', 'bundle_base64'].map((name) => Buffer.from(String(found.body[name]), 'base64'));
    if (manifest === undefined || bundle === undefined) throw new Error('not found');
    const blobs = new Map<Digest, Buffer>();
    for (const { content_digest } of release.bundle.components) {
      const { body } = await local.get(`/v1/blobs/sha256/${content_digest.slice(7)}`);
      blobs.set(content_digest, Buffer.from(String(body['bytes_base64']), 'base64'));
    }
    const walked = checkRelease({ manifest, bundle, blobOf: (digest) => blobs.get(digest) });
    expect(walked).toMatchObject({
      kind: 'release',
      release: { releaseDigest: release.releaseDigest, bundleDigest: release.bundleDigest },
    });
    expect(found.body['slots']).toEqual([{ local_component_key: slotKey('main'), definition_version: 1 }]);
    const byVersion = await local.get(`/v1/app-releases/${APP}/versions/1.0.0`);
    expect([byVersion.status, byVersion.body]).toEqual([200, { kind: 'found', release_digest: release.releaseDigest }]);
    expect((await local.get(`/v1/app-releases/${APP}/versions/9.0.0`)).status).toBe(404);
  });

  it('422 with every fault of a release and where it is; nothing is written (cat:REG-04, cat:REG-05, cat:SLOT-15)', async () => {
    const release = builtRelease(FULL);
    await upload({ ...release, blobs: release.blobs.slice(1) });
    const manifest = jcs({ ...JSON.parse(release.manifestBytes.toString('utf8')), app_id: 'dev.North.desk', more: 1 });
    const { status, body } = await local.post('/v1/app-releases', { ...bodyOf(release), manifest_base64: base64(manifest) }, key());
    const errors = (body['errors'] as { pointer: string; detail: string }[]).map(
      ({ pointer, detail }) => `${pointer} ${detail.split(':')[0]}`,
    );
    expect([status, body['code']]).toEqual([422, 'HOUSE:catalog:ReleaseFaulty']);
    expect(errors).toEqual(expect.arrayContaining(['/manifest/app_id ID_NOT_CANONICAL', '/manifest/more MANIFEST_NOT_CLOSED']));
    expect(errors.some((error) => error.endsWith('BLOB_MISSING'))).toBe(true);
    expect(await written()).toBe(0);
  });

  it('422 for documents that say the same in other bytes: nothing is made canonical here (cat:A-24)', async () => {
    const release = builtRelease(FULL);
    await upload(release);
    const newline = { manifest_base64: base64(Buffer.concat([release.manifestBytes, Buffer.from('\n')])) };
    const { status, body } = await local.post('/v1/app-releases', { ...bodyOf(release), ...newline }, key());
    const [error] = body['errors'] as { pointer: string; detail: string }[];
    expect([status, error?.pointer, error?.detail]).toEqual([422, '/manifest', expect.stringMatching(/^JSON_NOT_CANONICAL/)]);
    expect(await written()).toBe(0);
  });

  it('409 where a blob was damaged after its upload; nothing is written (cat:REG-05, cat:SLOT-16)', async () => {
    const release = builtRelease(FULL);
    await upload(release);
    await schema.sql("UPDATE art_blob SET bytes = 'damaged'");
    const { status, body } = await local.post('/v1/app-releases', bodyOf(release), key());
    expect([status, body['kind'], body['code']]).toEqual([409, 'blob-corrupt', 'DIGEST_MISMATCH']);
    expect(await written()).toBe(0);
  });

  it('409 for an attestation of a key that nobody trusts; provenance in its place is a member that no body has (cat:PUB-04, cat:ATT-05, cat:ATT-02)', async () => {
    const stranger = await publish(FULL, key(), signer());
    expect([stranger.status, stranger.body['code']]).toEqual([409, 'KEY_UNKNOWN']);
    const { attestation: _, ...bare } = bodyOf(builtRelease(FULL));
    const provenance = { source: 'git', commit: 'abc', build: 'green' };
    expect((await local.post('/v1/app-releases', bare, key())).status).toBe(400);
    expect((await local.post('/v1/app-releases', { ...bare, provenance }, key())).status).toBe(400);
    const annotated = { ...bodyOf(builtRelease(FULL)), provenance };
    expect((await local.post('/v1/app-releases', annotated, key())).status).toBe(400);
    expect(await written()).toBe(0);
  });

  it('409 with both parties where the AppID is another publisher’s (cat:ID-13, cat:PUB-13)', async () => {
    await publish(FULL);
    await local.put('/v1/publishers/dev.south', { app_prefixes: [APP] }, key());
    await local.post('/v1/publishers/dev.south/keys', keyOf(south), key());
    const { status, body } = await publish({ publisherId: 'dev.south', version: '9.0.0' }, key(), south);
    expect([status, body['code'], body['publisher_id'], body['owner_publisher_id']]).toEqual([
      409,
      'APP_ID_RESERVED',
      'dev.south',
      'dev.north',
    ]);
  });

  it('an App that changes hands: offered, accepted, and then the new owner’s; what was signed before stays (cat:PUB-06, cat:PUB-07, cat:PUB-10)', async () => {
    await publish(FULL);
    await trusted('dev.south', south);
    const { statement, signature } = signedTransfer(north, { appId: APP, from: 'dev.north', to: 'dev.south' });
    const said = { statement_base64: base64(statement), signature_base64: base64(signature) };
    const offered = await local.post(`/v1/apps/${APP}/transfers`, said, key());
    expect([offered.status, offered.body['kind']]).toEqual([201, 'offered']);
    expect((await local.get(`/v1/apps/${APP}`)).body).toMatchObject({
      first_publisher_id: 'dev.north',
      publisher_id: 'dev.north',
      ownership_epoch: '1',
    });
    const accepted = await local.post(`/v1/apps/${APP}/transfers/${String(offered.body['transfer_id'])}/accept`, {}, key());
    expect([accepted.status, accepted.body['publisher_id'], accepted.body['ownership_epoch']]).toEqual([200, 'dev.south', '2']);
    expect((await publish({ ...FULL, version: '1.1.0' })).body['code']).toBe('APP_ID_RESERVED');
    expect((await publish({ ...FULL, version: '1.1.0', publisherId: 'dev.south' }, key(), south)).status).toBe(201);
    const back = { from_publisher_id: 'dev.south', to_publisher_id: 'dev.north', expected_ownership_epoch: '2', reason: 'keys lost' };
    const recovered = await local.post(`/v1/apps/${APP}/recoveries`, back, key());
    expect([recovered.status, recovered.body['ownership_epoch']]).toEqual([200, '3']);
    expect((await local.post(`/v1/apps/${APP}/recoveries`, back, key())).body['code']).toBe('OWNER_MISMATCH');
  });

  it('a slot with its head and one revision; 404 for a version that it never had', async () => {
    const { release } = await publish(FULL);
    const path = `/v1/apps/${APP}/layout-slots/${slotKey('main')}`;
    const found = await local.get(path);
    expect(found.body).toMatchObject({ kind: 'found', head_definition_version: 1, head_revision_digest: release.slots[0]?.revisionDigest });
    expect((await local.get(`${path}?definition_version=1`)).body).toEqual(found.body);
    expect((await local.get(`${path}?definition_version=2`)).body).toEqual({ kind: 'absent', code: 'SLOT_VERSION_ABSENT' });
    for (const version of ['0', '01', '-1', '1.0', '']) expect((await local.get(`${path}?definition_version=${version}`)).status).toBe(400);
    expect((await local.get(`/v1/apps/${APP}/layout-slots/${slotKey('other')}`)).status).toBe(404);
    expect((await local.get(`${path.replace(APP, `${APP}-other`)}`)).status).toBe(404);
  });

  it('200 for a block and a revocation, and again; 404 for what nobody registered (cat:A-39, cat:A-18)', async () => {
    const { release } = await publish(FULL);
    const block = (digest: string) => local.post(`/v1/app-releases/${APP}/sha256/${digest.slice(7)}/block`, { reason: 'leaks' }, key());
    expect([(await block(release.releaseDigest)).body['kind'], (await block(release.releaseDigest)).body['kind']]).toEqual([
      'blocked',
      'already-blocked',
    ]);
    expect((await block(release.bundleDigest)).status).toBe(404);
    const revoke = (id: string) => local.post(`/v1/publishers/dev.north/keys/${id}/revoke`, { reason: 'lost' }, key());
    expect([(await revoke(north.keyId)).status, (await revoke(north.keyId)).body['kind'], (await revoke(south.keyId)).status]).toEqual([
      200,
      'already-revoked',
      404,
    ]);
  });

  it('409 for a key that was revoked and is brought again, with when, by whom and why (cat:A-18)', async () => {
    const at = '/v1/publishers/dev.north/keys';
    await local.post(`${at}/${north.keyId}/revoke`, { reason: 'lost' }, key());
    const again = { public_key_base64: base64(north.publicKey), valid_from: LONG_AGO };
    const { status, body } = await local.post(at, again, key());
    const told = {
      kind: 'key-revoked',
      key_id: north.keyId,
      revoked_at: expect.stringMatching(/^20.*Z$/),
      revoked_by: 'local',
      reason: 'lost',
    };
    expect([status, body]).toEqual([409, told]);
  });

  it('422 for a blob that is not of its digest, 409 for one that was damaged, 404 for none (cat:A-04)', async () => {
    const [blob] = builtRelease(FULL).blobs;
    if (blob === undefined) throw new Error('no blob');
    const { componentDigest, rawSha256 } = digestsOf(blob);
    const body = {
      component_kind: blob.componentKind,
      component_format_version: 1,
      raw_sha256: rawSha256,
      bytes_base64: base64(blob.bytes),
    };
    const path = `/v1/blobs/sha256/${componentDigest.slice(7)}`;
    expect((await local.get(path)).status).toBe(404);
    expect((await local.put(path, { ...body, component_format_version: 2 })).body['kind']).toBe('digest-differs');
    expect((await local.put(path, { ...body, raw_sha256: componentDigest })).status).toBe(422);
    expect([(await local.put(path, body)).status, (await local.put(path, body)).status]).toEqual([201, 200]);
    await schema.sql("UPDATE art_blob SET bytes = 'damaged'");
    expect([(await local.get(path)).status, (await local.put(path, body)).body['kind']]).toEqual([409, 'corrupt']);
  });

  it('400 for a name, a time or a base64 that is not canonical; nothing is written', async () => {
    const count = await countOf(schema, 'cat_publisher');
    const put = (publisher: string, body: object = {}) => local.put(`/v1/publishers/${publisher}`, body, key());
    expect((await put('Dev.North')).body['code']).toBe('CATALOG:ID_NOT_CANONICAL');
    expect((await put('https:%2F%2Fdev.north')).status).toBe(400);
    expect((await put('dev.east', { app_prefixes: [] })).status).toBe(400);
    const add = (over: object) => local.post('/v1/publishers/dev.north/keys', keyOf(south, over), key());
    expect((await add({ valid_from: '2026-02-30T00:00:00.000000Z' })).body['code']).toBe('HOUSE:http:Instant');
    expect((await add({ valid_until: null })).body['code']).toBe('HOUSE:http:BodyInvalid');
    expect((await add({ public_key_base64: `${base64(south.publicKey).slice(0, 42)}B=` })).status).toBe(400);
    expect([await countOf(schema, 'cat_publisher'), await countOf(schema, 'cat_publisher_key')]).toEqual([count, 1]);
  });

  it('401 without a token, 403 for a caller of another path; nothing is written (cat:PUB-01)', async () => {
    const coordinator = callsTo(service, 'cutover-coordinator');
    for (const path of ['/v1/publishers/dev.east', `/v1/blobs/sha256/${'0'.repeat(64)}`]) {
      expect([(await callsTo(service).put(path, {}, key())).status, (await coordinator.put(path, {}, key())).status]).toEqual([401, 403]);
    }
    expect((await coordinator.post('/v1/app-releases', bodyOf(builtRelease()), key())).status).toBe(403);
    expect(await countOf(schema, 'cat_publisher')).toBe(1);
  });

  it('201 for a release at the limit of a bundle: 5 MiB fit into a body (decisions 12.10)', async () => {
    const layouts = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`${'layout'.repeat(14)}-${at}`, 1]));
    const release = builtRelease({ layouts });
    expect(release.bundleBytes.length).toBeGreaterThan(4.5 * 1024 * 1024);
    await upload({ ...release, blobs: release.blobs });
    expect((await local.post('/v1/app-releases', bodyOf(release), key())).status).toBe(201);
  });
});

describe('contract › what is signed', () => {
  it('binds six facts and the key, and no digest of the release covers it (cat:ATT-06)', () => {
    const release = builtRelease(FULL);
    const { statement } = north.attest(release);
    expect(Object.keys(attestation.parse(statement).value)).toHaveLength(7);
    expect(release.manifestBytes.includes(statement)).toBe(false);
  });
});
