import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Digest } from '@connector/kernel/digest';
import { ConfigurationId, CredentialGenerationId, EpochId } from '@connector/kernel/ids';
import type { Owners } from '@connector/connector/contract/owners';
import { serviceClient, type ServiceClient } from '@connector/platform/http/service-client';
import { ownersOverHttp } from './owners-over-http';

const DIGEST = Digest.sha256(Buffer.from('x'));
const RECEIPT = { receipt_base64: 'e30=', receipt_digest: DIGEST };
const FOUND = {
  view: {
    kind: 'found',
    view_base64: 'e30=',
    view_digest: DIGEST,
    source_snapshot_digest: DIGEST,
    lineage: { lineage_id: 'l', catalog_revision: '3', activation_epoch: '1' },
  },
  definition: {
    kind: 'found',
    pack_generation_storage_id: 'g',
    definition_envelope_version: '1',
    definition_receipt_version: '1',
    definition_base64: 'e30=',
    canonical_definition_digest: DIGEST,
  },
  configuration: { kind: 'found', document_base64: 'e30=', generation_digest: DIGEST },
  credential: { kind: 'found', transport_digest: DIGEST },
};
const SCOPE = { organization: 'org 1', installation: 'inst/1', workload: 'work' };

let server: Server;
let client: ServiceClient;
let answer: { readonly status: number; readonly body: string };
let asked: string[];

beforeAll(async () => {
  server = createServer((request, reply) => {
    asked.push(`${request.method} ${request.url}`);
    reply.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
beforeEach(() => {
  asked = [];
  const { port } = server.address() as AddressInfo;
  client = serviceClient({ baseUrl: `http://127.0.0.1:${port}`, token: 't', timeoutMs: 2_000 });
});
afterEach(() => client.close());
afterAll(() => new Promise((closed) => server.close(closed)));

const says = (status: number, body: unknown): void => {
  answer = { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
};
const owners = (): Owners => ownersOverHttp(client, client);
const identity = {
  ...SCOPE,
  kind: 'push-contract' as const,
  ownerPack: 'p',
  packInstallation: 'i',
  businessKey: 'a/b',
  definitionVersion: '1',
};
const ASK = {
  view: () => owners().catalog.readCurrent(SCOPE, 7n),
  definition: () => owners().definitions.readExact(identity, DIGEST),
  configuration: () => owners().configurations.readExact(ConfigurationId.mint()),
  credential: () => owners().credentials.readExact(CredentialGenerationId.mint()),
};
const NAMES = ['view', 'definition', 'configuration', 'credential'] as const;

const PIN = { epochId: EpochId.mint(), epochDigest: DIGEST, generations: [{ storageId: 'g', payloadDigest: DIGEST }] };

describe('retention over http', () => {
  const pin = () => owners().retention.pin(PIN);
  const read = () => owners().retention.read(PIN.epochId);

  it('pinned, found: under the epoch id, in the words of its owner', async () => {
    says(200, { kind: 'pinned' });
    expect(await pin()).toEqual({ kind: 'pinned' });
    says(200, { kind: 'found', epoch_digest: DIGEST, storage_ids: ['g'] });
    expect(await read()).toEqual({ kind: 'found', epochDigest: DIGEST, storageIds: ['g'] });
    expect(asked).toEqual(['PUT', 'GET'].map((method) => `${method} /v1/generation-pins/${PIN.epochId}`));
  });

  it('absent, mismatch: a generation that is gone, an epoch that is not pinned, a pin of something else', async () => {
    says(404, { kind: 'absent', code: 'GENERATION_ABSENT', which: [] });
    expect(await pin()).toEqual({ kind: 'absent', code: 'GENERATION_ABSENT' });
    says(404, { kind: 'absent', code: 'EPOCH_NOT_PINNED' });
    expect(await read()).toEqual({ kind: 'absent', code: 'EPOCH_NOT_PINNED' });
    says(409, { kind: 'conflicting-pin', epoch_digest: DIGEST });
    expect(await pin()).toEqual({ kind: 'mismatch', code: 'CONFLICTING_PIN' });
  });

  it.each<[number, unknown]>([
    [200, { kind: 'found' }],
    [200, { kind: 'pinned', more: 1 }],
    [400, { code: 'HOUSE:http:BodyInvalid' }],
    [404, { code: 'HOUSE:http:NotFound' }],
    [503, { kind: 'absent', code: 'X' }],
  ])('unavailable: con:VERI-X %s with anything else says nothing', async (status, body) => {
    says(status, body);
    expect([await pin(), await read()]).toEqual([{ kind: 'unavailable' }, { kind: 'unavailable' }]);
  });
});

describe('owners over http', () => {
  it.each(NAMES)('found: the bytes and digests of the %s as its owner gave them', async (name) => {
    says(200, { ...FOUND[name], ...RECEIPT });
    expect(await ASK[name]()).toMatchObject({ kind: 'found', receiptBytes: Buffer.from('{}'), receiptDigest: DIGEST });
  });

  it('found: the whole identity is asked for, each part as one component', async () => {
    says(200, { ...FOUND.view, ...RECEIPT });
    await ASK.view();
    const path = '/v1/orgs/org%201/app-installations/inst%2F1/workloads/work/integration-binding-view?min_catalog_revision=7';
    expect(asked).toEqual([`GET ${path}`]);
  });

  it.each(NAMES)('absent: the owner of the %s says so', async (name) => {
    says(404, { kind: 'absent', code: 'GONE' });
    expect(await ASK[name]()).toEqual({ kind: 'absent', code: 'GONE' });
  });

  it.each(NAMES)('mismatch: the owner of the %s says so', async (name) => {
    says(409, { kind: 'mismatch', code: 'DIGEST_MISMATCH' });
    expect(await ASK[name]()).toEqual({ kind: 'mismatch', code: 'DIGEST_MISMATCH' });
  });

  it('not-fresh: of the view alone; from another owner it is no answer', async () => {
    says(409, { kind: 'not-fresh', current_revision: '2' });
    expect(await ASK.view()).toEqual({ kind: 'not-fresh' });
    expect(await ASK.configuration()).toEqual({ kind: 'unavailable' });
  });

  it.each<[string, number, unknown]>([
    ['an unknown path', 404, { code: 'HOUSE:http:NotFound', status: 404 }],
    ['a refusal of another kind', 404, { kind: 'no-key', code: 'X' }],
    ['a caller that is not known', 401, { kind: 'absent', code: 'X' }],
    ['a drain', 503, { kind: 'absent', code: 'X' }],
    ['a mistake', 500, { kind: 'mismatch', code: 'X' }],
    ['a body that is refused', 400, { kind: 'absent', code: 'X' }],
    ['another protocol', 200, { kind: 'found' }],
    ['a member too many', 200, { ...FOUND.view, ...FOUND.definition, ...FOUND.configuration, ...FOUND.credential, ...RECEIPT, more: 1 }],
    ['half an answer', 200, '{"kind":"fou'],
  ])('unavailable: con:VERI-X %s says nothing of the fact', async (_, status, body) => {
    says(status, body);
    for (const name of NAMES) expect(await ASK[name]()).toEqual({ kind: 'unavailable' });
  });

  it('unavailable: nobody listens', async () => {
    const nobody = serviceClient({ baseUrl: 'http://127.0.0.1:1', token: 't', timeoutMs: 2_000 });
    expect(await ownersOverHttp(nobody, nobody).configurations.readExact(ConfigurationId.mint())).toEqual({ kind: 'unavailable' });
    await nobody.close();
  });
});
