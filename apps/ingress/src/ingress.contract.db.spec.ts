import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { addChannelKey, type AddedChannelKey } from '@connector/control/transitions/add-channel-key.tx';
import { retireChannelKey, type RetiredChannelKey } from '@connector/control/transitions/retire-channel-key.tx';
import { moveChannelKeyGate } from '@connector/connector/transitions/serving/move-channel-key-gate.tx';
import type { ChannelKeyFence } from '@connector/kernel/brand';
import { ReceiptId } from '@connector/kernel/ids';
import { receiptPayloadDigest } from '@connector/connector/model/digests/inbound';
import { readGate, type SeenGate } from '@connector/connector/reads/serving/gates';
import { admitAndMaterialize } from '@connector/connector/transitions/inbound/admit-and-materialize.tx';
import { ROUTE } from '@connector/testing/fixtures/delivery';
import type { RunningService } from '@connector/platform/host/service';
import { ingress } from '@connector/services/ingress/src/ingress.service';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, DESTINATION, SOURCE } from '@connector/testing/fixtures/demo-epoch';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const NEXT = 'whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=';
let schema: TestSchema;
let home: TestHome;
let service: RunningService;

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await home.secret('channel/larkspur/acme/hook', SECRET);
  await home.secret('channel/larkspur/acme/hook', NEXT, '2');
  await home.secret('channel/tern/acme/hints', 'github-secret');
});
beforeEach(async () => {
  await schema.reset();
  await demoEpoch(schema);
  service = await bootOn(ingress, schema, home, { CONNECTOR_POLL_MS: '50' });
});
afterEach(() => service.stop());
afterAll(async () => {
  await schema.close();
  await home.remove();
});

const change = (recordId: string, seq = 1) => ({ recordId, seq, email: null, name: recordId });
const bodyOf = (...changes: readonly object[]): string => JSON.stringify({ changes });

interface Answered {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}
async function send(path: string, init: RequestInit): Promise<Answered> {
  const response = await fetch(`${service.url}/v1/in/${path}`, init);
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>), headers: response.headers };
}
/** Signed by the public library, as a provider would. */
function deliver(id: string, body: string, secret = SECRET, path = `${SOURCE}/hook`): Promise<Answered> {
  const at = new Date();
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
  return send(path, { method: 'POST', headers, body });
}
async function rows(table: string): Promise<number> {
  return Number((await schema.sql(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.['n']);
}

/** What control does after its own commit: the gate follows the key set. */
async function carry(answer: AddedChannelKey | RetiredChannelKey): Promise<void> {
  if (!('revision' in answer)) throw new Error(answer.kind);
  await moveChannelKeyGate(schema.db, { account: SOURCE, channel: 'hook', revision: answer.revision });
}

describe('contract › ingress answers', () => {
  it('202 with the receipt id, durable before the answer', async () => {
    const { status, body } = await deliver('msg_1', bodyOf(change('r1')));
    expect([status, body['kind']]).toEqual([202, 'admitted']);
    const id = ReceiptId.bytes(ReceiptId.parse(body['receipt_id'] as string));
    expect(await schema.sql('SELECT key_version FROM con_receipt WHERE receipt_id = ?', [id])).toEqual([{ key_version: 1 }]);
    expect([await rows('con_event'), await rows('con_execution')]).toEqual([1, 1]);
  });

  it('200 and the original receipt id when the same delivery comes again', async () => {
    const first = await deliver('msg_1', bodyOf(change('r1')));
    const again = await deliver('msg_1', bodyOf(change('r1')));
    expect([again.status, again.body]).toEqual([200, { kind: 'redelivered', receipt_id: first.body['receipt_id'] }]);
    expect(await rows('con_receipt')).toBe(1);
  });

  it('409 with both digests when other bytes come under the same key; nothing is made of them, and they are kept as a conflict', async () => {
    await deliver('msg_1', bodyOf(change('r1')));
    const { status, body } = await deliver('msg_1', bodyOf(change('r2')));
    expect([status, body['code']]).toEqual([409, 'HOUSE:ingress:ConflictingRedelivery']);
    expect((body['detail'] as string).match(/sha256:[0-9a-f]{64}/g)).toHaveLength(2);
    expect([await rows('con_receipt'), await rows('con_event'), await rows('con_conflicting_redelivery')]).toEqual([1, 1, 1]);
  });

  it('202 for a body that the pack cannot read: durable, refused by name', async () => {
    expect((await deliver('msg_1', 'not json')).status).toBe(202);
    expect(await schema.sql('SELECT code FROM con_component_refusal')).toEqual([{ code: Buffer.from('body-not-json') }]);
  });

  it('202 for a batch with one bad item: it is refused by name and harms no neighbour', async () => {
    expect((await deliver('msg_1', bodyOf(change('r1'), { seq: 1 }, change('r3')))).status).toBe(202);
    expect([await rows('con_component'), await rows('con_component_refusal'), await rows('con_execution')]).toEqual([2, 1, 2]);
  });

  it('202 by the GitHub-style scheme, keyed by the header that the route names', async () => {
    const body = JSON.stringify({ hints: [] });
    const signature = `sha256=${createHmac('sha256', 'github-secret').update(body).digest('hex')}`;
    const headers = { 'x-hub-signature-256': signature, 'x-tern-delivery': 'd-1' };
    expect((await send(`${DESTINATION}/hints`, { method: 'POST', headers, body })).status).toBe(202);
    const { status, body: problem } = await send(`${DESTINATION}/hints`, {
      method: 'POST',
      headers: { 'x-hub-signature-256': signature },
      body,
    });
    expect([status, problem['code']]).toEqual([400, 'HOUSE:ingress:TransportKeyMissing']);
  });

  it('401 for a bad and for a missing signature, with help and without writing', async () => {
    const bad = await deliver('msg_1', bodyOf(change('r1')), NEXT);
    expect([bad.status, bad.body['code']]).toEqual([401, 'HOUSE:ingress:SignatureMismatch']);
    const missing = await send(`${SOURCE}/hook`, { method: 'POST', body: '{}' });
    expect(missing.status).toBe(401);
    expect(missing.body['detail']).toMatch(/webhook-/);
    expect(await rows('con_receipt')).toBe(0);
  });

  it('401 for a body that was changed in one byte after it was signed', async () => {
    const at = new Date();
    const headers = {
      'webhook-id': 'm',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(SECRET).sign('m', at, '{"changes":[]}'),
    };
    expect((await send(`${SOURCE}/hook`, { method: 'POST', headers, body: '{"changes":[] }' })).status).toBe(401);
  });

  it('404 for an unknown channel, account or path form', async () => {
    for (const path of [`${SOURCE}/nothing`, 'larkspur/nobody/hook', 'LARKSPUR/acme/hook']) {
      expect((await deliver('m', '{}', SECRET, path)).status).toBe(404);
    }
  });

  it('405 with Allow for another method, 415 for an encoded body', async () => {
    const { status, headers } = await send(`${SOURCE}/hook`, { method: 'GET' });
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
    const encoded = await send(`${SOURCE}/hook`, { method: 'POST', headers: { 'content-encoding': 'gzip' }, body: 'x' });
    expect(encoded.status).toBe(415);
  });

  it('413 before the body is taken in, announced or not', async () => {
    const announced = await send(`${SOURCE}/hook`, { method: 'POST', body: 'x'.repeat(262_145) });
    expect([announced.status, announced.body['code']]).toEqual([413, 'HOUSE:ingress:BodyTooLarge']);
    expect(await chunkedFlood()).toMatch(/^HTTP\/1\.1 413 /);
    expect(await rows('con_receipt')).toBe(0);
  });

  it.each(['halting_v2', 'v2_halted', 'v1_serving'])('503 with Retry-After and nothing written while the gate is %s', async (mode) => {
    await schema.sql('UPDATE con_serving_gate SET mode = ?', [mode]);
    const { status, headers } = await deliver('msg_1', bodyOf(change('r1')));
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    expect(await rows('con_receipt')).toBe(0);
  });

  it('503 where a configured account has no gate yet', async () => {
    await schema.sql('DELETE FROM con_serving_gate');
    expect((await deliver('msg_1', '{}')).status).toBe(503);
  });

  it('202 under a key that was added while it ran, 401 under one that was retired', async () => {
    const channel = { account: SOURCE, channel: 'hook' };
    const secret = { scheme: 'standard-webhooks', secretPath: 'channel/larkspur/acme/hook', secretVersion: '2' };
    expect((await deliver('before', bodyOf(change('r0')))).status).toBe(202);
    await carry(await addChannelKey(schema.db, { ...channel, ...secret, keyVersion: 2, endsAt: null }));
    expect((await deliver('old', bodyOf(change('r1')))).status).toBe(202);
    expect((await deliver('new', bodyOf(change('r2')), NEXT)).status).toBe(202);
    await carry(await retireChannelKey(schema.db, { ...channel, keyVersion: 1, reason: 'rotated' }));
    expect((await deliver('late', bodyOf(change('r3')))).status).toBe(401);
    expect((await deliver('fine', bodyOf(change('r4')), NEXT)).status).toBe(202);
    expect(await schema.sql('SELECT transport_key, key_version FROM con_receipt ORDER BY admitted_at')).toEqual(
      [
        ['before', 1],
        ['old', 1],
        ['new', 2],
        ['fine', 2],
      ].map(([key, version]) => ({ transport_key: Buffer.from(String(key)), key_version: version })),
    );
  });

  it('con:CRASH-02 con:OMAT-O a receipt that was stored alone is materialized by the sweep, each item once', async () => {
    const gate = (await readGate(schema.db, SOURCE)) as SeenGate;
    const stored = {
      ...gate,
      channel: 'hook',
      transportKey: 'alone',
      receiptId: ReceiptId.mint(gate.accountPrefix),
      keyVersion: 1,
      keyFence: 1n as ChannelKeyFence,
      headers: null,
    };
    const payload = Buffer.from(bodyOf(change('r1'), { seq: 1 }, change('r3')));
    const delivery = { ...stored, payload, payloadDigest: receiptPayloadDigest(payload).digest };
    await admitAndMaterialize(schema.db, gate, ROUTE, [{ delivery, children: null }]);
    for (let look = 0; look < 200 && (await rows('con_execution')) < 2; look += 1) await schema.sql('DO SLEEP(0.01)');
    expect([await rows('con_component'), await rows('con_component_refusal'), await rows('con_execution')]).toEqual([2, 1, 2]);
    expect(await schema.sql('SELECT ready_account, next_ordinal FROM con_materialization')).toEqual([
      { ready_account: null, next_ordinal: 3 },
    ]);
  });

  it('one hundred deliveries of one key at once are one receipt (PUB-ING-01)', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => deliver('msg_dup1', bodyOf(change('r1')))));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(99);
    expect(new Set(answers.map(({ body }) => body['receipt_id'])).size).toBe(1);
    expect([await rows('con_receipt'), await rows('con_event')]).toEqual([1, 1]);
  });

  it('livez, readyz and metrics without a token; outcomes by door and kind are counted', async () => {
    await deliver('msg_1', bodyOf(change('r1')));
    for (const path of ['livez', 'readyz', 'startupz']) expect((await fetch(`${service.url}/${path}`)).status).toBe(200);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(
      /connector_outcomes_total\{door="admit-and-materialize",path="admit-receipts materialize-receipts",kind="admitted"\} 1/,
    );
    expect(metrics).toMatch(/connector_ready_rows\{stage="materialize"\} 0/);
    expect(metrics).toMatch(/connector_statement_seconds_count\{statement="admit-and-materialize: insert con_receipt"\} 1/);
  });
});

/** Sends a chunked body that goes on and on, and answers what came back first. */
function chunkedFlood(): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname, () => {
      socket.write(`POST /v1/in/${SOURCE}/hook HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
      const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
      for (let sent = 0; sent < 8; sent += 1) socket.write(chunk);
    });
    socket.once('data', (data) => {
      resolve(data.toString('latin1').split('\r\n')[0] ?? '');
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
