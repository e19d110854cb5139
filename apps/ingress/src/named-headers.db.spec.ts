import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { receiptPayloadDigest } from '@connector/connector/model/digests/inbound';
import { readGate, type SeenGate } from '@connector/connector/reads/serving/gates';
import { admitAndMaterialize } from '@connector/connector/transitions/inbound/admit-and-materialize.tx';
import type { ChannelKeyFence } from '@connector/kernel/brand';
import { ReceiptId } from '@connector/kernel/ids';
import type { RunningService } from '@connector/platform/host/service';
import { ingress } from '@connector/services/ingress/src/ingress.service';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { ROUTE } from '@connector/testing/fixtures/delivery';
import { DEMO_POLICIES, demoEpoch, GITHUB_CHANNEL } from '@connector/testing/fixtures/demo-epoch';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

const SECRET = 'github-secret';
const { account, channel } = GITHUB_CHANNEL;
const BODY = '{"action":"created"}';
let schema: TestSchema;
let home: TestHome;
let service: RunningService;

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await home.secret(GITHUB_CHANNEL.secretPath, SECRET);
  await demoEpoch(schema, DEMO_POLICIES, [GITHUB_CHANNEL]);
  service = await bootOn(ingress, schema, home, { CONNECTOR_POLL_MS: '50' });
});
afterAll(async () => {
  await service.stop();
  await schema.close();
  await home.remove();
});

/** Header lines as they are given: `fetch` would join two of one name. */
function deliver(id: string, events: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      'x-github-delivery': id,
      'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(BODY).digest('hex')}`,
      'x-github-event': [...events],
    };
    const call = request(`${service.url}/v1/in/${account}/${channel}`, { method: 'POST', headers, agent: false });
    call.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.once('error', reject);
    call.end(BODY);
  });
}
const texts = (rows: Record<string, unknown>[]): unknown[] =>
  rows.map((row) => Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString() : value)));
const receipt = (id: string): Promise<unknown[]> => schema.sql('SELECT headers FROM con_receipt WHERE transport_key = ?', [id]).then(texts);
const inputs = (id: string): Promise<unknown[]> =>
  schema
    .sql(
      `SELECT p.input FROM con_receipt r JOIN con_event e ON e.receipt_id = r.receipt_id JOIN con_projection p ON p.event_id = e.event_id
        WHERE r.transport_key = ?`,
      [id],
    )
    .then(texts);

describe('headers that a route names', () => {
  it('202: they are kept with the receipt, and the pack reads them', async () => {
    expect(await deliver('d-1', ['star'])).toBe(202);
    expect(await receipt('d-1')).toEqual([['{"x-github-event":"star"}']]);
    expect(await inputs('d-1')).toEqual([['{"action":"created","delivery":"d-1","event":"star","payload":{"action":"created"}}']]);
  });

  it('202: a delivery without one is kept, and its item is refused by name', async () => {
    expect(await deliver('d-2', [])).toBe(202);
    expect(await receipt('d-2')).toEqual([['{}']]);
    expect(await inputs('d-2')).toEqual([]);
    expect(texts(await schema.sql('SELECT code, message FROM con_component_refusal'))).toEqual([
      ['member-missing', "fields/event: a member is missing: delivery.headers['x-github-event']"],
    ]);
  });

  it('400: one that came twice says two things, and nothing is written', async () => {
    expect(await deliver('d-3', ['star', 'push'])).toBe(400);
    expect(await receipt('d-3')).toEqual([]);
  });

  it('con:CRASH-02 a receipt that was stored alone is materialized with the headers and the key that it was admitted with', async () => {
    const gate = (await readGate(schema.db, account)) as SeenGate;
    const payload = Buffer.from(BODY);
    const delivery = {
      ...gate,
      ...{ channel, transportKey: 'd-4', receiptId: ReceiptId.mint(gate.accountPrefix), keyVersion: 1, keyFence: 1n as ChannelKeyFence },
      ...{ payload, payloadDigest: receiptPayloadDigest(payload).digest, headers: Buffer.from('{"x-github-event":"watch"}') },
    };
    await admitAndMaterialize(schema.db, gate, ROUTE, [{ delivery, children: null }]);
    for (let look = 0; look < 200 && (await inputs('d-4')).length === 0; look += 1) await schema.sql('DO SLEEP(0.01)');
    expect(await inputs('d-4')).toEqual([['{"action":"created","delivery":"d-4","event":"watch","payload":{"action":"created"}}']]);
  });
});
