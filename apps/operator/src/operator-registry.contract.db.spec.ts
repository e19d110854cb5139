import { OperationId } from '@connector/kernel/ids';
import { digestsOf } from '@connector/catalog/contract/artifact-registry';
import { attestation } from '@connector/catalog/model/attestation';
import type { RunningService } from '@connector/platform/host/service';
import { catalog } from '@connector/services/catalog/src/catalog.service';
import { APP_ACTS, PUBLISHER_ACTS, RELEASE_ACTS } from '@connector/services/operator/src/api/registry-routes';
import { operator } from '@connector/services/operator/src/operator.service';
import { type Answered, type Calls, callsTo, tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { LONG_AGO, rowsOf, signedTransfer, signer } from '@connector/testing/fixtures/registry';
import { APP, builtRelease, type BuiltRelease, type ReleaseSpec } from '@connector/testing/fixtures/release';
import { countOf } from '@connector/testing/fixtures/serving';
import { operationIds, servedContract, type OpenApiContract } from '@connector/testing/openapi-contract';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

let schema: TestSchema;
let home: TestHome;
let authority: RunningService;
let service: RunningService;
let contract: OpenApiContract;
let cli: Calls;
let publisher: Calls;
let reader: Calls;
const north = signer();
const south = signer();

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await tokensFor(home, 'operator', ['cli', 'publisher', 'reader']);
  await tokensFor(home, 'catalog', ['operator', 'publisher']);
  await tokensFor(home, 'runtime', ['catalog']);
  authority = await bootOn(catalog, schema, home, { CONNECTOR_POLL_MS: '60000' });
  service = await bootOn(operator, schema, home, { CONNECTOR_CATALOG_URL: authority.url });
  contract = await servedContract(service, 'cli');
  [cli, publisher, reader] = ['cli', 'publisher', 'reader'].map((caller) => callsTo(service, caller, contract.accept)) as [
    Calls,
    Calls,
    Calls,
  ];
});
beforeEach(() => schema.reset());
afterAll(async () => {
  await service.stop();
  await authority.stop();
  await schema.close();
  await home.remove();
});

const base64 = (bytes: Buffer): string => bytes.toString('base64');
const DIGEST_OF_NOTHING = `sha256:${'0'.repeat(64)}`;
const keyed = (body: object) => ({ ...body, operation_id: OperationId.mint(), by: 'm.ortiz' });
const said = ({ status, body }: Answered) => [status, body['code'] ?? body['kind'], body['written'] ?? 'done'];
const add = (id: string, by = cli) => by.post('/v1/publishers', keyed({ publisher_id: id }));
const addKey = (id: string, { publicKey }: typeof north, by = cli) =>
  by.post('/v1/publishers/add-key', keyed({ publisher_id: id, public_key_base64: base64(publicKey), valid_from: LONG_AGO }));
async function trusted(id: string, key: typeof north): Promise<void> {
  expect([said(await add(id)), said(await addKey(id, key))]).toEqual([
    [200, 'registered', 'done'],
    [200, 'added', 'done'],
  ]);
}
async function upload({ blobs }: BuiltRelease, by = cli): Promise<void> {
  for (const blob of blobs) {
    const { componentDigest: content_digest, rawSha256: raw_sha256 } = digestsOf(blob);
    const named = { component_kind: blob.componentKind, component_format_version: blob.formatVersion };
    const { status } = await by.post('/v1/releases/blobs', { content_digest, raw_sha256, ...named, bytes_base64: base64(blob.bytes) });
    expect(status).toBe(200);
  }
}
const releaseBody = (release: BuiltRelease, key = north) => {
  const { statement, signature } = key.attest(release);
  return keyed({
    ...{ manifest_base64: base64(release.manifestBytes), bundle_base64: base64(release.bundleBytes) },
    ...{ statement_base64: base64(statement), signature_base64: base64(signature) },
  });
};
async function published(spec: ReleaseSpec = {}, by = publisher): Promise<{ release: BuiltRelease; answer: Answered }> {
  const release = builtRelease({ layouts: { a: 1 }, ...spec });
  await upload(release, by);
  return { release, answer: await by.post('/v1/releases', releaseBody(release)) };
}
const digestIn = async (path: string, body: object): Promise<string> => String((await cli.post(path, body)).body['digest']);

describe('contract › operator and publishers', () => {
  it('403: publisher rows are written by the operator role alone; a publisher and a reader are refused and nothing is written (cat:PUB-01)', async () => {
    await trusted('dev.north', north);
    const before = await rowsOf(schema, 'cat_publisher', 'cat_publisher_prefix', 'cat_publisher_key', 'cat_key_revocation');
    const confirm = await digestIn('/v1/publishers/plan-revoke-key', { publisher_id: 'dev.north', key_id: north.keyId });
    const revoke = keyed({ publisher_id: 'dev.north', key_id: north.keyId, confirm, by: 'p', reason: 'mine' });
    for (const by of [publisher, reader]) {
      const answers = [
        await add('dev.south', by),
        await addKey('dev.north', south, by),
        await by.post('/v1/publishers/revoke-key', revoke),
      ];
      expect(answers.map(({ status, body }) => [status, body['code']])).toEqual(Array(3).fill([403, 'HOUSE:http:CallerNotAllowed']));
    }
    expect(await rowsOf(schema, 'cat_publisher', 'cat_publisher_prefix', 'cat_publisher_key', 'cat_key_revocation')).toEqual(before);
    for (const by of [publisher, reader]) expect((await by.get('/v1/publishers/dev.north')).status).toBe(200);
  });

  it('200: the same again is the same; 409 with what stands, where it says something else', async () => {
    await trusted('dev.north', north);
    expect(said(await add('dev.north'))).toEqual([200, 'already-registered', 'done']);
    const other = await cli.post('/v1/publishers', keyed({ publisher_id: 'dev.north', app_prefixes: ['dev.elsewhere'] }));
    expect([...said(other), other.body['actual']]).toEqual([
      ...[409, 'HOUSE:operator:CatalogRefused', 'nothing'],
      { kind: 'conflicting-publisher', publisher_id: 'dev.north' },
    ]);
    expect(said(await addKey('dev.nobody', south))).toEqual([404, 'HOUSE:operator:NotFound', 'nothing']);
  });

  it('400: what is no id is refused by its rule', async () => {
    expect((await add('Dev.North')).body['code']).toBe('CATALOG:ID_NOT_CANONICAL');
    expect((await cli.get('/v1/publishers/nobody')).status).toBe(400);
    const named = async (path: string, body: object) => String((await cli.post(path, body)).body['detail']).split(':')[0];
    expect([
      ...[
        await named('/v1/publishers', keyed({ publisher_id: 'No' })),
        await named('/v1/publishers', keyed({ publisher_id: 'dev.x', app_prefixes: ['No'] })),
      ],
      ...[await named('/v1/publishers/plan-revoke-key', { publisher_id: 'No', key_id: north.keyId })],
      ...[await named('/v1/publishers/plan-revoke-key', { publisher_id: 'dev.north', key_id: 'No' })],
      ...[await named('/v1/apps/plan-accept', { app_id: 'No', transfer_id: DIGEST_OF_NOTHING })],
      ...[await named('/v1/barriers/plan', { attempt_id: 'No' })],
      ...[await named('/v1/publishers/revoke-key', keyed({ publisher_id: 'dev.north', key_id: north.keyId, reason: 'x', confirm: 'No' }))],
    ]).toEqual([...['publisher_id', 'app_prefixes', 'publisher_id', 'key_id', 'app_id', 'attempt_id', 'confirm']]);
    const faulty = await cli.post(
      '/v1/publishers/add-key',
      keyed({ publisher_id: 'dev.north', public_key_base64: 'short', valid_from: 'now' }),
    );
    expect((faulty.body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual(['/public_key_base64', '/valid_from']);
    expect(await countOf(schema, 'cat_publisher')).toBe(0);
  });

  it('200: a revocation is planned, carried out by its digest, and answered the same when it comes again', async () => {
    await trusted('dev.north', north);
    const named = { publisher_id: 'dev.north', key_id: north.keyId };
    const { body } = await cli.post('/v1/publishers/plan-revoke-key', named);
    expect(body).toMatchObject({ plan: { verb: 'publishers.revoke-key', subject: north.keyId, expected: { revoked: false } } });
    const confirmation = keyed({ ...named, confirm: body['digest'], by: 'm.ortiz', reason: 'leaked' });
    const first = await cli.post('/v1/publishers/revoke-key', confirmation);
    expect(said(first)).toEqual([200, 'revoked', 'done']);
    expect(await cli.post('/v1/publishers/revoke-key', confirmation)).toEqual(first);
    expect((await cli.get('/v1/publishers/dev.north')).body['keys']).toMatchObject([{ key_id: north.keyId, reason: 'm.ortiz: leaked' }]);
    const again = await addKey('dev.north', north);
    expect([...said(again), again.body['actual'], again.body['next_steps']]).toEqual([
      ...[409, 'HOUSE:operator:CatalogRefused', 'nothing'],
      expect.objectContaining({ kind: 'key-revoked', reason: 'm.ortiz: leaked', revoked_by: 'operator m.ortiz' }),
      ['connector publishers keygen --out <file>'],
    ]);
    expect(said(await cli.post('/v1/publishers/plan-revoke-key', named))).toEqual([409, 'HOUSE:operator:CatalogRefused', 'nothing']);
    const unknown = await cli.post('/v1/publishers/revoke-key', { ...confirmation, confirm: DIGEST_OF_NOTHING });
    expect(said(unknown)).toEqual([409, 'HOUSE:operator:PlanUnknown', 'nothing']);
  });

  it('200: more keys than the 100 that are shown, which is said; one that is not among them is revoked all the same', async () => {
    await trusted('dev.north', north);
    const another = (at: number) =>
      schema.sql('INSERT INTO cat_publisher_key (key_id, publisher_id, public_key, valid_from) VALUES (?, ?, ?, NOW())', [
        ...[`other-${at}`, 'dev.north', Buffer.alloc(32, at)],
      ]);
    const shown = async () => {
      const { keys, more } = (await reader.get('/v1/publishers/dev.north')).body as unknown as {
        keys: { key_id: string }[];
        more: boolean;
      };
      return [keys.length, keys.some(({ key_id }) => key_id === north.keyId), more];
    };
    for (let at = 0; at < 99; at += 1) await another(at);
    expect(await shown()).toEqual([100, true, false]);
    await another(99);
    expect(await shown()).toEqual([100, false, true]);
    const named = { publisher_id: 'dev.north', key_id: north.keyId };
    const revoke = keyed({ ...named, confirm: await digestIn('/v1/publishers/plan-revoke-key', named), by: 'm.ortiz', reason: 'leaked' });
    expect(said(await cli.post('/v1/publishers/revoke-key', revoke))).toEqual([200, 'revoked', 'done']);
    const foreign = await cli.post('/v1/publishers/plan-revoke-key', { publisher_id: 'dev.north', key_id: south.keyId });
    expect(said(foreign)).toEqual([404, 'HOUSE:operator:NotFound', 'nothing']);
  });

  it('200: lists go on after the last row that was seen', async () => {
    for (const id of ['dev.a', 'dev.b', 'dev.c']) await add(id);
    const one = await reader.get('/v1/publishers?limit=2');
    const two = await reader.get(`/v1/publishers?limit=2&after=${String(one.body['next'])}`);
    const ids = [one, two].flatMap(({ body }) => (body['rows'] as { publisher_id: string }[]).map((row) => row.publisher_id));
    expect([ids, two.body['next']]).toEqual([['dev.a', 'dev.b', 'dev.c'], null]);
    expect((await reader.get('/v1/publishers?limit=201')).status).toBe(400);
    expect((await reader.get('/v1/publishers/dev.d')).status).toBe(404);
  });
});

describe('contract › operator, releases and Apps', () => {
  beforeEach(async () => {
    await trusted('dev.north', north);
    await trusted('dev.south', south);
  });

  it('200: a publisher registers, the same bytes again are the same release, and it is read byte for byte (cat:REG-02)', async () => {
    const { release, answer } = await published();
    expect(said(answer)).toEqual([200, 'registered', 'done']);
    expect(said((await published()).answer)).toEqual([200, 'already-registered', 'done']);
    const shown = await reader.get(`/v1/releases/${APP}/1.0.0`);
    expect(shown.body).toMatchObject({
      ...{ release_digest: release.releaseDigest, blocked: null, publisher_id: 'dev.north' },
      ...{ manifest_base64: base64(release.manifestBytes), bundle_base64: base64(release.bundleBytes) },
    });
    expect(await reader.get(`/v1/releases/${APP}/${release.releaseDigest}`)).toEqual(shown);
    expect((await reader.get(`/v1/releases/${APP}/9.9.9`)).status).toBe(404);
    expect((await reader.post('/v1/releases', releaseBody(release))).status).toBe(403);
  });

  it('409: other bytes under the version, with both digests', async () => {
    const { release } = await published();
    const { release: other, answer } = await published({ layouts: { a: 2 } });
    expect([...said(answer), answer.body['expected'], answer.body['actual']]).toEqual([
      ...[409, 'HOUSE:operator:ReleaseVersionTaken', 'nothing'],
      ...[{ release_digest: release.releaseDigest }, { release_digest: other.releaseDigest }],
    ]);
  });

  it('422: every fault of the release together, each with its place, rule, what was expected and found; nothing is written', async () => {
    const release = builtRelease({ layouts: { a: 1 } });
    const broken = (bytes: Buffer, change: (value: Record<string, unknown>) => void): string => {
      const value = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
      change(value);
      return base64(Buffer.from(JSON.stringify(value)));
    };
    const body = releaseBody(release);
    const { status, body: problem } = await publisher.post('/v1/releases', {
      ...body,
      manifest_base64: broken(release.manifestBytes, (manifest) => Object.assign(manifest, { semantic_version: 'v1', extensions: {} })),
    });
    const errors = problem['errors'] as {
      pointer: string;
      code: string;
      rule: string;
      expected: string;
      found: string;
      document?: string;
    }[];
    expect([status, problem['code'], problem['written'], problem['errors_more']]).toEqual([
      422,
      'HOUSE:operator:ReleaseFaulty',
      'nothing',
      0,
    ]);
    const codes = errors.map(({ pointer, code }) => `${code} ${pointer}`);
    for (const one of ['SEMVER_NOT_CANONICAL /manifest/semantic_version', 'MANIFEST_NOT_CLOSED /manifest/extensions'])
      expect(codes).toContain(one);
    expect(codes).toContain('BLOB_MISSING /bundle/components/0/content_digest');
    for (const error of errors) expect(Object.values(error).every((text) => text !== '')).toBe(true);
    expect((await countOf(schema, 'cat_app_release')) + (await countOf(schema, 'cat_app'))).toBe(0);
  });

  it('409: a release that its publisher did not sign is refused by the name of the rule; nothing is written (cat:PUB-04)', async () => {
    const release = builtRelease({ layouts: { a: 1 } });
    await upload(release);
    const answer = await publisher.post('/v1/releases', releaseBody(release, south));
    expect([...said(answer), (answer.body['actual'] as { code: string }).code]).toEqual([
      ...[409, 'HOUSE:operator:CatalogRefused', 'nothing'],
      'KEY_FOREIGN',
    ]);
    expect(await countOf(schema, 'cat_app_release')).toBe(0);
    const { bytes } = attestation.build({ ...attestation.parse(north.attest(release).statement).value, app_id: 'dev.north.other' });
    const mismatched = { statement_base64: base64(bytes), signature_base64: base64(north.sign(attestation.separator, bytes)) };
    const refused = await publisher.post('/v1/releases', { ...releaseBody(release), ...mismatched });
    expect((refused.body['actual'] as { code: string }).code).toBe('ATTESTATION_MISMATCH');
  });

  it('200: an App is offered by its owner, stays, and moves when the operator carries the plan out (cat:PUB-07)', async () => {
    await published();
    const { statement, signature } = signedTransfer(north, { appId: APP, from: 'dev.north', to: 'dev.south' });
    const offer = keyed({ app_id: APP, statement_base64: base64(statement), signature_base64: base64(signature) });
    const offered = await publisher.post('/v1/apps/transfer', offer);
    expect(said(offered)).toEqual([200, 'offered', 'done']);
    const named = { app_id: APP, transfer_id: String(offered.body['transfer_id']) };
    expect((await cli.post('/v1/apps/plan-accept', { ...named, transfer_id: 'No' })).body['detail']).toMatch(/^transfer_id: expected /);
    expect((await cli.get(`/v1/apps/${APP}`)).body).toMatchObject({
      publisher_id: 'dev.north',
      offers: [{ new_publisher_id: 'dev.south' }],
    });
    const confirmation = keyed({ ...named, confirm: await digestIn('/v1/apps/plan-accept', named) });
    expect((await publisher.post('/v1/apps/accept', confirmation)).status).toBe(403);
    const accepted = await cli.post('/v1/apps/accept', confirmation);
    expect(said(accepted)).toEqual([200, 'transferred', 'done']);
    expect(await cli.post('/v1/apps/accept', confirmation)).toEqual(accepted);
    expect((await cli.get(`/v1/apps/${APP}`)).body).toMatchObject({ publisher_id: 'dev.south', ownership_epoch: '2', offers: [] });
    expect(said(await cli.post('/v1/apps/plan-accept', named))).toEqual([409, 'HOUSE:operator:CatalogRefused', 'nothing']);
    expect((await cli.get('/v1/apps')).body['rows']).toEqual([{ app_id: APP, publisher_id: 'dev.south', ownership_epoch: '2' }]);
  });

  it('200: more releases, offers and owners than the 100 that are shown, which is said of each', async () => {
    await published();
    const { statement, signature } = signedTransfer(north, { appId: APP, from: 'dev.north', to: 'dev.south' });
    await publisher.post(
      '/v1/apps/transfer',
      keyed({ app_id: APP, statement_base64: base64(statement), signature_base64: base64(signature) }),
    );
    const copy = (table: string, same: string, changed: string, values: readonly unknown[]) =>
      schema.sql(
        `INSERT INTO ${table} (app_id, ${same}, ${changed}) SELECT app_id, ${same}, ?${', ?'.repeat(values.length - 1)} FROM ${table} LIMIT 1`,
        [...values],
      );
    const OF_RELEASE = 'bundle_digest, manifest, publisher_id, ownership_epoch, key_id, attestation, signature';
    const another = async (at: number) => {
      await copy('cat_app_release', OF_RELEASE, 'release_digest, semantic_version', [Buffer.alloc(32, at), `9.0.${at}`]);
      await copy('cat_transfer_offer', 'new_publisher_id, ownership_epoch, key_id, statement, signature', 'statement_digest', [
        Buffer.alloc(32, at),
      ]);
      await copy('cat_ownership_event', 'kind, new_publisher_id, accepted_by', 'ownership_epoch', [at + 100]);
    };
    const shown = async () => {
      const { releases, offers, events, more } = (await reader.get(`/v1/apps/${APP}`)).body as Record<string, unknown[]>;
      return [releases?.length, offers?.length, events?.length, more];
    };
    for (let at = 0; at < 99; at += 1) await another(at);
    expect(await shown()).toEqual([100, 100, 100, { releases: false, offers: false, events: false }]);
    await another(99);
    expect(await shown()).toEqual([100, 100, 100, { releases: true, offers: true, events: true }]);
  });

  it('200: a recovery says from whom and from which epoch; one that was planned before another move is refused (cat:PUB-12)', async () => {
    await published();
    const to = { app_id: APP, to_publisher_id: 'dev.south' };
    const confirm = await digestIn('/v1/apps/plan-recover', to);
    const expected = { from_publisher_id: 'dev.north', expected_ownership_epoch: '1' };
    const confirmation = { ...to, ...expected, confirm, by: 'm.ortiz', reason: 'keys lost' };
    expect(said(await cli.post('/v1/apps/recover', keyed({ ...confirmation, expected_ownership_epoch: '2' })))).toEqual([
      ...[409, 'HOUSE:operator:PlanUnknown', 'nothing'],
    ]);
    expect(said(await cli.post('/v1/apps/recover', keyed(confirmation)))).toEqual([200, 'recovered', 'done']);
    const late = await cli.post('/v1/apps/recover', keyed(confirmation));
    expect([...said(late), (late.body['actual'] as { code: string }).code]).toEqual([
      ...[409, 'HOUSE:operator:CatalogRefused', 'nothing'],
      'OWNER_MISMATCH',
    ]);
    expect((await cli.get(`/v1/apps/dev.nobody.app`)).status).toBe(404);
  });

  it('503: the catalog does not run: nothing was written, and what is registered is shown all the same', async () => {
    await published();
    const alone = await bootOn(operator, schema, home, { CONNECTOR_CATALOG_URL: 'http://127.0.0.1:1' });
    const calls = callsTo(alone, 'cli', contract.accept);
    expect(said(await calls.post('/v1/publishers', keyed({ publisher_id: 'dev.east' })))).toEqual([
      ...[503, 'HOUSE:operator:CatalogUnavailable', 'nothing'],
    ]);
    expect((await calls.get(`/v1/releases/${APP}/1.0.0`)).status).toBe(200);
    await alone.stop();
  });

  it('documented: every operation answered, as the document says', () => {
    expect(contract.unanswered([PUBLISHER_ACTS, APP_ACTS, RELEASE_ACTS].flatMap(operationIds))).toEqual([]);
  });
});
