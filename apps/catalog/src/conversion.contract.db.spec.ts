import { Digest } from '@connector/kernel/digest';
import type { RunningService } from '@connector/platform/host/service';
import { catalog } from '@connector/services/catalog/src/catalog.service';
import { type Calls, callsTo, tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { signedMapping } from '@connector/testing/fixtures/conversion';
import { asking } from '@connector/testing/fixtures/registry';
import { countOf } from '@connector/testing/fixtures/serving';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

const PLACE = '/v1/orgs/org-1/legacy-conversion';
const DIGEST = Digest.sha256(Buffer.from('any'));

let schema: TestSchema;
let home: TestHome;
let service: RunningService;
let operator: Calls;

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await tokensFor(home, 'catalog', ['local', 'operator', 'cutover-coordinator']);
  await tokensFor(home, 'runtime', ['catalog']);
  service = await bootOn(catalog, schema, home);
  operator = callsTo(service, 'operator');
});
beforeEach(() => schema.reset());
afterAll(async () => {
  await service.stop();
  await schema.close();
  await home.remove();
});

const mapping = {
  statement_base64: signedMapping().statement.toString('base64'),
  signature_base64: signedMapping().signature.toString('base64'),
};
const BODY = {
  pack_install_id: 'pack-install-7',
  applied_payload_hash: DIGEST,
  app_release_digest: DIGEST,
  provenance_digest: DIGEST,
  expected_catalog_checksum: DIGEST,
  expected_runtime_checksum: DIGEST,
  mapping,
  dependencies: [],
  grants: [{ workload_id: 'dev.example.runner', capabilities: [] }],
  handler_bindings: [],
};

describe('conversion', () => {
  it('no-legacy-world: a deployment has none, and every door that needs one says so by name; nothing is written', async () => {
    const conflict = { status: 409, body: { kind: 'no-legacy-world' } };
    expect(await operator.post(`${PLACE}/plan`, BODY)).toMatchObject(conflict);
    expect(await operator.post(PLACE, BODY, asking().key)).toMatchObject(conflict);
    expect(await operator.get(`${PLACE}/readers/dev.example.reader/projection?capability_id=dev.example.a.v1`)).toMatchObject(conflict);
    expect(await operator.post(`${PLACE}/deletion/plan`, { evidence: [] })).toMatchObject(conflict);
    expect(await operator.post(`${PLACE}/deletion`, { evidence: [] }, asking().key)).toMatchObject(conflict);
    expect(await operator.get(PLACE)).toMatchObject({ status: 200, body: { attempts: [], readers: [] } });
    expect(await operator.post(`${PLACE}/readers/dev.example.reader/retire`, {}, asking().key)).toMatchObject({ status: 404 });
    expect(await countOf(schema, 'cat_conversion')).toBe(0);
  });

  it.each(Object.keys(BODY))('refused: cat:CONV-07 without %s, which only an operator can say', async (member) => {
    const { [member as keyof typeof BODY]: left, ...rest } = BODY;
    expect(left).toBeDefined();
    const answer = await operator.post(PLACE, rest, asking().key);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(member);
  });

  it('refused: cat:ID-12 an App is no choice; cat:CONV-07 a write has a key, and only operators are heard', async () => {
    expect((await operator.post(PLACE, { ...BODY, app_id: 'io.nexuscrm.other' }, asking().key)).status).toBe(400);
    expect((await operator.post(PLACE, BODY)).status).toBe(400);
    expect((await callsTo(service, 'cutover-coordinator').post(PLACE, BODY, asking().key)).status).toBe(403);
  });
});
