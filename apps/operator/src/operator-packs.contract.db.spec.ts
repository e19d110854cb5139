import { AttemptId, AuditId } from '@connector/kernel/ids';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningService } from '@connector/platform/host/service';
import { catalog } from '@connector/services/catalog/src/catalog.service';
import { PACK_ACTS } from '@connector/services/operator/src/api/routes';
import { operator } from '@connector/services/operator/src/operator.service';
import { type Calls, callsTo, tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch } from '@connector/testing/fixtures/demo-epoch';
import { countOf } from '@connector/testing/fixtures/serving';
import { operationIds, servedContract, type OpenApiContract } from '@connector/testing/openapi-contract';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

const ORGANIZATION = 'org-1';
const DESK = readFileSync(join(__dirname, '../../../libs/shipped-packs/tern-desk/pack.json'), 'utf8');
const LABEL = 'dev.example.tern-desk@1.2.0';

let schema: TestSchema;
let home: TestHome;
let registry: RunningService;
let service: RunningService;
let contract: OpenApiContract;
let cli: Calls;

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await tokensFor(home, 'operator', ['cli']);
  await tokensFor(home, 'catalog', ['pack-owner']);
  // The catalog's own way to the Runtime, which nothing here goes.
  await tokensFor(home, 'runtime', ['catalog']);
  registry = await bootOn(catalog, schema, home);
  service = await bootOn(operator, schema, home, { CONNECTOR_CATALOG_URL: registry.url });
  contract = await servedContract(service, 'cli');
  cli = callsTo(service, 'cli', contract.accept);
});
beforeEach(() => schema.reset());
afterAll(async () => {
  await service.stop();
  await registry.stop();
  await schema.close();
  await home.remove();
});

const publish = (text: string | Buffer) =>
  cli.post('/v1/packs', { organization: ORGANIZATION, pack_base64: Buffer.from(text).toString('base64'), by: 'm.ortiz' });
const versioned = (pack_version: string): string => JSON.stringify({ ...(JSON.parse(DESK) as object), pack_version });
const generations = () => countOf(schema, 'pck_generation');

describe('contract › operator and packs', () => {
  it('200: what is published is the same generation when it comes again, and is shown by its digest and by its label', async () => {
    const first = await publish(DESK);
    expect(first).toMatchObject({ status: 200, body: { kind: 'registered', owner_pack: 'dev.example.tern-desk', pack_version: '1.2.0' } });
    expect((await publish(DESK)).body).toEqual({ ...first.body, kind: 'already-registered' });
    expect(await generations()).toBe(1);
    const shown = await cli.get(`/v1/packs/${String(first.body['payload_digest'])}`);
    expect(shown.body).toMatchObject({
      ...{ storage_id: first.body['storage_id'], pinned_by: [] },
      installations: [{ organization: ORGANIZATION, pack_installation_id: first.body['pack_installation_id'] }],
    });
    expect(await cli.get(`/v1/packs/${LABEL}`)).toEqual(shown);
  });

  it('200: cat:A-47 who published it stands in the audit of the organization, in one list with what the catalog did', async () => {
    const { body } = await publish(DESK);
    await schema.sql(
      "INSERT INTO cat_audit (audit_id, door, caller, subject, details, at) VALUES (?, 'set-membership', 'operator x', ?, '{}', '2001-01-01')",
      [AuditId.bytes(AuditId.mint()), ORGANIZATION],
    );
    const rows = (await cli.get(`/v1/audit/${ORGANIZATION}`)).body['rows'] as readonly Record<string, unknown>[];
    const { storage_id, pack_installation_id, payload_digest, owner_pack, pack_version } = body;
    expect(rows.map(({ door, caller, details }) => [door, caller, details])).toEqual([
      ['register-pack', 'pack-owner m.ortiz', { owner_pack, pack_version, payload_digest, storage_id, pack_installation_id }],
      ['set-membership', 'operator x', {}],
    ]);
  });

  it('200: the audit of both goes on after the last record that was seen, also among those of one instant (cat:A-47)', async () => {
    for (const [at, table] of ['cat', 'pck', 'pck', 'cat', 'pck'].entries())
      await schema.sql(
        `INSERT INTO ${table}_audit (audit_id, door, caller, subject, details, at) VALUES (?, 'told', 'operator x', ?, ?, ?)`,
        [AuditId.bytes(AuditId.mint()), ORGANIZATION, `{"at":"${at}"}`, at === 4 ? '2001-01-02' : '2001-01-01'],
      );
    const path = `/v1/audit/${ORGANIZATION}`;
    const whole = (await cli.get(path)).body['rows'] as readonly object[];
    const seen: object[] = [];
    let next: unknown = '';
    for (let pages = 0; next !== null && pages < 4; pages += 1) {
      const { body } = await cli.get(`${path}?limit=2&after=${String(next)}`);
      seen.push(...(body['rows'] as object[]));
      next = body['next'];
    }
    expect([whole.length, next, seen]).toEqual([5, null, whole]);
    expect((await cli.get(`${path}?after=${AuditId.mint()}`)).status).toBe(404);
  });

  it('200: a generation says which epochs rely on it (cat:INT-13)', async () => {
    const { epochId } = await demoEpoch(schema);
    expect((await cli.get(`/v1/packs/${LABEL}`)).body['pinned_by']).toEqual([epochId]);
  });

  it('200: the list goes on after the last row that was seen', async () => {
    for (const version of ['1.0.0', '1.1.0', '1.2.0']) await publish(versioned(version));
    const one = await cli.get('/v1/packs?limit=2');
    const two = await cli.get(`/v1/packs?limit=2&after=${String(one.body['next'])}`);
    const versions = [...(one.body['rows'] as object[]), ...(two.body['rows'] as object[])].map(
      (row) => (row as { pack_version: string }).pack_version,
    );
    expect([versions, two.body['next']]).toEqual([['1.0.0', '1.1.0', '1.2.0'], null]);
    expect((await cli.get('/v1/packs?limit=1000')).status).toBe(400);
    expect((await cli.get('/v1/packs?after=nothing')).status).toBe(400);
  });

  it('422: the list of the registry, with rule, expected and found; nothing is written', async () => {
    const { status, body } = await publish(DESK.replace('"owner_pack"', '"more": 1,\n"owner_pack"'));
    expect([status, body['code'], body['written']]).toEqual([422, 'HOUSE:operator:PackFaulty', 'nothing']);
    expect(body['errors']).toContainEqual(
      expect.objectContaining({ pointer: '/pack', code: 'shape-wrong', rule: 'con:DEFN-F', found: 'more', expected: expect.any(String) }),
    );
    expect(await generations()).toBe(0);
  });

  it('422: a member that stands twice is found, though whoever parses JSON would take the last one', async () => {
    const { status, body } = await publish(DESK.replace('"owner_pack"', '"owner_pack": "dev.example.other",\n"owner_pack"'));
    expect([status, body['errors']]).toEqual([
      422,
      [expect.objectContaining({ pointer: '/pack', code: 'not-json', rule: 'HOUSE:packs:StrictJson' })],
    ]);
    expect(await generations()).toBe(0);
  });

  it('422 above the limit of a pack, 413 above what a body may have, 400 for what is no base64', async () => {
    const large = await publish(Buffer.alloc(1_048_577, ' '));
    expect([large.status, (large.body['errors'] as { code: string }[])[0]?.code]).toEqual([422, 'too-large']);
    expect(
      (await callsTo(service, 'cli').post('/v1/packs', { organization: ORGANIZATION, pack_base64: 'A'.repeat(8_000_000), by: 'm.ortiz' }))
        .status,
    ).toBe(413);
    expect((await cli.post('/v1/packs', { organization: ORGANIZATION, pack_base64: 'not base64', by: 'm.ortiz' })).status).toBe(400);
    expect(await generations()).toBe(0);
  });

  it('409: other bytes under a used version, with both digests', async () => {
    const first = await publish(DESK);
    const { status, body } = await publish(DESK.replace('"deadline_ms": 10000', '"deadline_ms": 10001'));
    expect([status, body['code'], body['expected']]).toEqual([
      409,
      'HOUSE:operator:PackVersionTaken',
      { payload_digest: first.body['payload_digest'] },
    ]);
    expect((body['actual'] as { payload_digest: string }).payload_digest).not.toBe(first.body['payload_digest']);
  });

  it('503: cat:INT-16 an activation holds the authors off: whose it is stands beside, with what to do', async () => {
    await publish(versioned('1.0.0'));
    const attempt = AttemptId.mint();
    await schema.sql("UPDATE pck_publication_barrier SET state = 'held', attempt_id = ?", [AttemptId.bytes(attempt)]);
    const { status, body } = await publish(versioned('1.1.0'));
    expect([status, body['code'], body['written']]).toEqual([503, 'HOUSE:operator:PublicationBarrierHeld', 'nothing']);
    expect([body['actual'], (body['next_steps'] as string[])[2]]).toEqual([
      { attempt_id: attempt },
      `connector barriers release ${attempt} --plan, if it is given up`,
    ]);
    expect(await generations()).toBe(1);
  });

  it('404: no such generation; 400: a text that is neither digest nor label', async () => {
    expect(await cli.get('/v1/packs/dev.example.nobody@1.0.0')).toMatchObject({ status: 404, body: { code: 'HOUSE:operator:NotFound' } });
    expect((await cli.get(`/v1/packs/sha256:${'0'.repeat(64)}`)).status).toBe(404);
    for (const text of ['desk', 'sha256:0']) expect((await cli.get(`/v1/packs/${text}`)).status).toBe(400);
  });

  it('503: the catalog does not run: nothing was written, and what is registered is shown all the same', async () => {
    await publish(DESK);
    const alone = await bootOn(operator, schema, home, { CONNECTOR_CATALOG_URL: 'http://127.0.0.1:1' });
    const calls = callsTo(alone, 'cli', contract.accept);
    const { status, body } = await calls.post('/v1/packs', {
      organization: ORGANIZATION,
      pack_base64: Buffer.from(DESK).toString('base64'),
      by: 'm.ortiz',
    });
    expect([status, body['code'], body['written']]).toEqual([503, 'HOUSE:operator:CatalogUnavailable', 'nothing']);
    expect((await calls.get(`/v1/packs/${LABEL}`)).status).toBe(200);
    await alone.stop();
  });

  it('documented: every operation answered, as the document says', () => {
    expect(contract.unanswered(operationIds(PACK_ACTS))).toEqual([]);
  });
});
