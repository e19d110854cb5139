import { createHash } from 'node:crypto';
import { addChannelKey } from '@connector/control/transitions/add-channel-key.tx';
import { moveChannelKeyGate } from '@connector/connector/transitions/serving/move-channel-key-gate.tx';
import type { RunningService } from '@connector/platform/host/service';
import { SENDERS } from '@connector/services/ingress/src/verify/senders.fixture';
import { BODIES, GITHUB } from '@connector/services/ingress/src/verify/signature-vectors.fixture';
import { ingress } from '@connector/services/ingress/src/ingress.service';
import { SOURCE } from '@connector/testing/fixtures/demo-epoch';
import { bootOn } from '@connector/testing/service';
import { bodyOf, change, HOOK, HUBS, openWorld, OTHER_SCHEMES, post, S2, signed, type World } from './world';

let world: World;
let service: RunningService;
const boot = (): Promise<RunningService> => bootOn(ingress, world.schema, world.home, { CONNECTOR_POLL_MS: '50' });
beforeAll(async () => {
  world = await openWorld();
  service = await boot();
});
afterAll(async () => {
  await service.stop();
  await world.close();
});

const deliver = async (id: string, options: { secret?: string; old?: number } = {}) =>
  post(service.url, HOOK, signed(id, bodyOf(change(id)), options), bodyOf(change(id)));
function headersBy(scheme: (typeof OTHER_SCHEMES)[number], body: Buffer): Record<string, string> {
  const list = SENDERS[scheme].headers(body, Math.floor(Date.now() / 1_000));
  return Object.fromEntries(list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1] ?? ''] as const] : [])));
}
async function refusedAs(reason: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(new RegExp(`connector_refused_deliveries_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
}
const receipt = (id: string) => world.schema.sql('SELECT payload, key_version FROM con_receipt WHERE transport_key = ?', [id]);

describe('cases › signatures at the ingress', () => {
  it.each(['odd', 'bom', 'uni', 'esc', 'ff', 'fe'] as const)(
    '202: body %s is verified and stored as it was received, byte for byte (PUB-SIG-02, PUB-SIG-03)',
    async (name) => {
      const headers = { 'x-github-delivery': name, 'x-github-event': 'ping', 'x-hub-signature-256': GITHUB[name] };
      expect((await post(service.url, HUBS[0], headers, BODIES[name])).status).toBe(202);
      expect(await receipt(name)).toMatchObject([{ payload: BODIES[name] }]);
    },
  );

  it('202 and refused whole by name, never 401: a body that is signed and is no JSON (PUB-SIG-02)', async () => {
    const refused = await world.schema.sql(
      `SELECT r.transport_key, f.code, f.message FROM con_component_refusal f JOIN con_receipt r ON r.receipt_id = f.receipt_id
        ORDER BY r.transport_key`,
    );
    expect(refused.map((row) => Object.values(row).map(String))).toEqual([
      ['bom', 'body-not-json', 'bom at byte 0: a byte order mark'],
      ['fe', 'body-not-json', 'utf8 at byte 6: not well-formed UTF-8'],
      ['ff', 'body-not-json', 'utf8 at byte 6: not well-formed UTF-8'],
    ]);
  });

  it.each([301, -301])('401 by name, counted, and no row: a correct signature of %s seconds ago (PUB-SIG-04)', async (old) => {
    const before = [await world.count('con_receipt'), await refusedAs('timestamp-outside-tolerance')] as const;
    expect(await deliver(`old-${old}`, { old })).toMatchObject({ status: 401, code: 'HOUSE:ingress:TimestampOutsideTolerance' });
    expect([await world.count('con_receipt'), await refusedAs('timestamp-outside-tolerance')]).toEqual([before[0], before[1] + 1]);
    expect((await deliver(`fresh-${old}`, { old: Math.sign(old) * 290 })).status).toBe(202);
  });

  it.each(OTHER_SCHEMES)(
    '202 once, 200 again, and 401 for another body: a delivery that %s signs; which key matched is recorded (PUB-SIG-03, PUB-SIG-06)',
    async (scheme) => {
      const [body, other] = [BODIES.uni, BODIES.esc];
      const headers = headersBy(scheme, body);
      const answers = [];
      for (const each of [body, body, other]) answers.push(await post(service.url, `signed/acme/${scheme}`, headers, each));
      expect(answers.map(({ status }) => status)).toEqual([202, 200, 401]);
      const rows = await world.schema.sql('SELECT transport_key, payload, key_version FROM con_receipt WHERE channel = ?', [scheme]);
      const digest = createHash('sha256').update(body).digest('hex');
      const key = scheme === 'stripe' || scheme === 'slack' ? `sha256:${digest}` : 'msg_1';
      expect(rows).toEqual([{ transport_key: Buffer.from(key), payload: body, key_version: 1 }]);
    },
  );

  it('202 under the old and the new secret until the old one ends, 401 after it; the version that matched is recorded (PUB-SIG-01)', async () => {
    const endsAt = (at: string) =>
      world.schema.sql(`UPDATE ctl_channel_key SET ends_at = ${at} WHERE account = ? AND key_version = 1`, [SOURCE]);
    const secret = { scheme: 'standard-webhooks', secretPath: 'channel/larkspur/acme/hook', secretVersion: '2' };
    const added = await addChannelKey(world.schema.db, { account: SOURCE, channel: 'hook', ...secret, keyVersion: 2, endsAt: null });
    if (!('revision' in added)) throw new Error(added.kind);
    await moveChannelKeyGate(world.schema.db, { account: SOURCE, channel: 'hook', revision: added.revision });
    // Time goes by in the row, not in the test; a look that was kept is a moment old at most, so another process looks.
    await endsAt('NOW(6) + INTERVAL 3600 SECOND');
    await service.stop();
    service = await boot();
    expect([(await deliver('s1')).status, (await deliver('s2', { secret: S2 })).status]).toEqual([202, 202]);
    expect([...(await receipt('s1')), ...(await receipt('s2'))]).toMatchObject([{ key_version: 1 }, { key_version: 2 }]);
    await endsAt('NOW(6) - INTERVAL 1 SECOND');
    await service.stop();
    service = await boot();
    expect([(await deliver('s1-late')).status, (await deliver('s2-late', { secret: S2 })).status]).toEqual([401, 202]);
  });
});
