import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { OperationId } from '@connector/kernel/ids';
import { Digest } from '@connector/kernel/digest';
import type { RunningService } from '@connector/platform/host/service';
import { catalog } from '@connector/services/catalog/src/catalog.service';
import { operator } from '@connector/services/operator/src/operator.service';
import { type Answered, callsTo, tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { askedFor, platform, publicationWorld, SERVICE_RELEASE, WORKLOAD } from '@connector/testing/fixtures/publication';
import { countOf } from '@connector/testing/fixtures/serving';
import { servedContract, type OpenApiContract } from '@connector/testing/openapi-contract';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

type Says = (url: string) => { readonly status: number; readonly type?: string; readonly body: object | '' };

const ORG = 'org-1';
const HEAD = { kind: 'head', security_epoch: '0', other_inputs_digest: Digest.sha256(Buffer.from('none')), projection_digest: null };
const SILENT: Says = () => ({ status: 503, body: '' });

let schema: TestSchema;
let home: TestHome;
let says: Says;
let authority: RunningService;
let service: RunningService;
let contract: OpenApiContract;
let body: object;

/** Whatever a test wants said by the service that stands here. */
const stand = createServer((request, response) => {
  const { status, type = 'application/json', body: sent } = says(request.url ?? '');
  response.writeHead(status, { 'content-type': type }).end(sent === '' ? '' : JSON.stringify(sent));
});
let standUrl: string;

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await tokensFor(home, 'operator', ['cli']);
  await tokensFor(home, 'catalog', ['operator']);
  await tokensFor(home, 'runtime', ['catalog', 'operator']);
  await new Promise<void>((ready) => void stand.listen(0, '127.0.0.1', ready));
  standUrl = `http://127.0.0.1:${(stand.address() as AddressInfo).port}`;
  const platformFile = join(home.dir, 'platform.json');
  await writeFile(platformFile, JSON.stringify(platform()));
  const given = { CONNECTOR_RUNTIME_URL: standUrl, CONNECTOR_PLATFORM_FILE: platformFile, CONNECTOR_POLL_MS: '60000' };
  authority = await bootOn(catalog, schema, home, given);
  service = await bootOn(operator, schema, home, { CONNECTOR_CATALOG_URL: authority.url, CONNECTOR_RUNTIME_URL: standUrl });
  contract = await servedContract(service, 'cli');
});
beforeEach(async () => {
  await schema.reset();
  const release = await (await publicationWorld(schema)).release();
  const { appId, appReleaseDigest, grants, handlerBindings } = askedFor(release);
  const request = {
    ...{ app_id: appId, app_release_digest: appReleaseDigest, dependencies: [] },
    grants: grants.map(({ workloadId, capabilities }) => ({ workload_id: workloadId, capabilities })),
    handler_bindings: handlerBindings.map(({ capabilityId }) => ({
      ...{ capability_id: capabilityId, workload_id: WORKLOAD, service_release_digest: SERVICE_RELEASE },
    })),
  };
  says = () => ({ status: 200, body: HEAD });
  const planned = await cli().post('/v1/installs/plan', { organization: ORG, request });
  const counters = { expected_catalog_revision: '0', expected_security_epoch: '0' };
  body = { organization: ORG, request, confirm: planned.body['digest'], operation_id: OperationId.mint(), by: 'm.ortiz', ...counters };
});
afterAll(async () => {
  for (const one of [service, authority]) await one.stop();
  stand.closeAllConnections();
  await new Promise((closed) => void stand.close(closed));
  await schema.close();
  await home.remove();
});

const cli = (of = service) => callsTo(of, 'cli', contract.accept);
const install = (of = service) => cli(of).post('/v1/installs/install', body);
const said = ({ status, body: answer }: Answered) => [status, answer['code'] ?? answer['kind'], answer['written'] ?? 'done'];

describe('contract › operator and a silent owner', () => {
  it('503: Runtime security is silent, and the catalog says itself that nothing was written; with it the same request is carried out', async () => {
    says = SILENT;
    const silent = await install();
    expect([...said(silent), silent.body['actual']]).toEqual([503, 'HOUSE:operator:CatalogOwnerSilent', 'nothing', { silent: 'security' }]);
    expect([await countOf(schema, 'cat_lineage'), await countOf(schema, 'cat_publication_step')]).toEqual([0, 0]);
    says = () => ({ status: 200, body: HEAD });
    expect(said(await install())).toEqual([200, 'opened', 'done']);
  });

  it('200: silent only when it is sent the command, the attempt is told as opened and waiting for it, and a resume goes on from there', async () => {
    says = (url) => (url.endsWith('/head') ? { status: 200, body: HEAD } : SILENT(url));
    const opened = await install();
    expect([...said(opened), opened.body['end']]).toEqual([200, 'opened', 'done', { kind: 'waiting', for: 'security' }]);
    expect(await countOf(schema, 'cat_publication_step')).toBe(2);
    says = SILENT;
    const { installation } = opened.body;
    const seen = { organization: ORG, installation, expected_state: 'PREPARING', expected_activation_epoch: '0' };
    const resumed = await cli().post('/v1/installs/resume', { ...seen, operation_id: OperationId.mint(), by: 'm.ortiz' });
    expect([...said(resumed), resumed.body['end']]).toEqual([200, 'opened', 'done', { kind: 'waiting', for: 'security' }]);
  });

  const WORD = { code: 'HOUSE:catalog:OwnerUnavailable', written: 'nothing', owner: 'security' };
  const PROBLEM = 'application/problem+json';
  it.each<[string, ReturnType<Says>]>([
    ['a proxy without a body', { status: 503, body: '' }],
    ['a problem document of somebody else', { status: 503, type: PROBLEM, body: { ...WORD, code: 'HOUSE:proxy:Unavailable' } }],
    ['the code without the word', { status: 503, type: PROBLEM, body: { ...WORD, written: undefined } }],
    ['the word without who', { status: 503, type: PROBLEM, body: { ...WORD, owner: undefined } }],
    ['the same members in no problem document', { status: 503, body: WORD }],
    ['another status', { status: 500, type: PROBLEM, body: WORD }],
  ])('503 OutcomeUnknown: what is not the word of the catalog itself, %s', async (_, answer) => {
    says = () => answer;
    const behind = await bootOn(operator, schema, home, { CONNECTOR_CATALOG_URL: standUrl, CONNECTOR_RUNTIME_URL: standUrl });
    const unknown = await install(behind);
    await behind.stop();
    expect(said(unknown)).toEqual([503, 'HOUSE:operator:OutcomeUnknown', 'unknown']);
  });
});
