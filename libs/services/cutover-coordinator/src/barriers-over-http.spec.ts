import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Digest } from '@connector/kernel/digest';
import { AttemptId } from '@connector/kernel/ids';
import type { FrozenScope } from '@connector/connector/model/serving/barriers';
import { serviceClient, type ServiceClient } from '@connector/platform/http/service-client';
import { holderOf, holdOf } from '@connector/testing/fixtures/barriers';
import { barriersOverHttp } from './barriers-over-http';

const DIGEST = Digest.sha256(Buffer.from('x'));
const attemptId = AttemptId.mint();
const HOLDER = { attemptId, holderFence: holderOf(3) };
const FROZEN: FrozenScope = {
  ...{ organization: 'org-1', installation: 'i', workload: 'w', viewDigest: DIGEST },
  lineage: { lineageId: 'l', catalogRevision: 2n, activationEpoch: 1n },
  generations: [{ storageId: 'g', payloadDigest: DIGEST }],
};

let server: Server;
let client: ServiceClient;
let answer: { readonly status: number; readonly body: unknown };
let asked: (readonly [string, unknown])[];

beforeAll(async () => {
  server = createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      asked.push([`${request.method} ${request.url}`, body === '' ? undefined : JSON.parse(body)]);
      reply.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
    });
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

const owner = (name: 'catalog' | 'packs') => barriersOverHttp(client)[name];
const HELD = { kind: 'held', barrier_fence: '1', receipt_base64: 'e30=', receipt_digest: DIGEST };
const LISTED = { organization: 'org-1', attempt_id: attemptId, barrier_fence: '1', holder_fence: '3' };

describe('barriers over http', () => {
  it('held: each owner is asked for what the epoch froze of it, and its receipt comes byte for byte', async () => {
    answer = { status: 200, body: HELD };
    for (const name of ['catalog', 'packs'] as const) {
      expect(await owner(name).acquire(HOLDER, FROZEN)).toEqual({ kind: 'held', receiptBytes: Buffer.from('{}') });
    }
    const holder = { attempt_id: attemptId, holder_fence: '3', organization: 'org-1' };
    const expected_lineage = { lineage_id: 'l', catalog_revision: '2', activation_epoch: '1' };
    expect(asked).toEqual([
      ['POST /v1/publication-barriers', { ...holder, installation: 'i', workload: 'w', expected_view_digest: DIGEST, expected_lineage }],
      ['POST /v1/pack-publication-barriers', { ...holder, generations: [{ storage_id: 'g', pack_payload_digest: DIGEST }] }],
    ]);
  });

  it.each([
    [409, { kind: 'conflict' }, { kind: 'refused', code: 'conflict' }],
    [409, { kind: 'drift' }, { kind: 'refused', code: 'drift' }],
    [409, { kind: 'stale-holder' }, { kind: 'refused', code: 'stale-holder' }],
    [404, { kind: 'no-packs' }, { kind: 'refused', code: 'no-packs' }],
    [404, { code: 'HOUSE:http:NotFound' }, { kind: 'unavailable' }],
    [503, { code: 'HOUSE:db:Again' }, { kind: 'unavailable' }],
    [200, { ...HELD, more: 1 }, { kind: 'unavailable' }],
    [200, {}, { kind: 'unavailable' }],
  ])('refused, unavailable: cat:INT-19 %i %j is never a hold', async (status, body, expected) => {
    answer = { status, body };
    expect(await owner('packs').acquire(HOLDER, FROZEN)).toEqual(expected);
  });

  it('found: what is held, of both owners', async () => {
    answer = { status: 200, body: { kind: 'found', held: [{ ...LISTED, installation: 'i' }] } };
    const one = { attemptId, organization: 'org-1', installation: 'i', barrierFence: 1n };
    expect(await owner('catalog').heldBy(attemptId)).toEqual({ kind: 'found', held: [one] });
    answer = { status: 200, body: { kind: 'found', held: 'all' } };
    expect(await owner('packs').heldBy(attemptId)).toEqual({ kind: 'unavailable' });
    const paths = ['publication-barriers', 'pack-publication-barriers'].map((path) => `GET /v1/${path}/${attemptId}`);
    expect(asked.map(([path]) => path)).toEqual(paths);
  });

  it.each([
    [200, 'released'],
    [409, 'stale'],
    [503, 'unavailable'],
  ])('released, stale, unavailable: %i is %s', async (status, kind) => {
    answer = { status, body: {} };
    const hold = { attemptId, organization: 'org-1', barrierFence: holdOf(1) };
    expect(await owner('catalog').release({ ...hold, installation: 'i' }, holderOf(4), 'begun')).toEqual({ kind });
    expect(await owner('packs').release(hold, holderOf(4), 'begun')).toEqual({ kind });
    const body = { organization: 'org-1', barrier_fence: '1', holder_fence: '4', outcome: 'begun' };
    expect(asked).toEqual([
      [`POST /v1/publication-barriers/${attemptId}/release`, { ...body, installation: 'i' }],
      [`POST /v1/pack-publication-barriers/${attemptId}/release`, body],
    ]);
  });
});
