import { compileCallout, type Callout } from '@connector/packs/engine/callout';
import { readPack } from '@connector/packs/authoring/pack-source';
import { type CheckedDefinition, checkPack } from '@connector/packs/engine/publish-check';
import { compilePush, type Push } from '@connector/packs/engine/push';
import { compileRoute, type Route } from '@connector/packs/engine/route';

const SOURCE = readPack(__dirname);

function fail(what: string): never {
  throw new Error(what);
}
function definition(kind: string): CheckedDefinition['definition'] {
  const check = checkPack(SOURCE);
  const found = check.ok ? check.definitions.find((candidate) => candidate.kind === kind) : undefined;
  return found?.definition ?? fail(`${kind}: ${JSON.stringify(check)}`);
}
function route(): Route {
  const compiled = compileRoute(definition('inbound-route'), definition('field-mapping'));
  return compiled.kind === 'route' ? compiled : fail(compiled.message);
}
function push(): Push {
  const compiled = compilePush(definition('push-contract'), definition('callout-profile'));
  return compiled.kind === 'push' ? compiled : fail(compiled.message);
}
function callout(): Callout {
  const compiled = compileCallout(definition('callout-profile'));
  return compiled.kind === 'callout' ? compiled : fail(compiled.message);
}
function extracted(name: string): readonly unknown[] {
  const delivery = SOURCE.deliveries.find((found) => found.name === name) ?? fail(name);
  const extraction = route().extract('acme/desk', delivery.body);
  if (extraction.kind === 'unreadable') return [extraction.code];
  return extraction.items.map((item) =>
    item.kind === 'refused'
      ? [item.ordinal, item.code]
      : [item.ordinal, item.sourceEventKey.toString().replaceAll('\0', '|'), item.occurredAt, item.input.toString()],
  );
}
const answer = (status: number, body: string, complete = true): Parameters<Callout['classify']>[0] => ({
  status,
  headers: {},
  body: Buffer.from(body),
  complete,
});

describe('tern-desk', () => {
  it('ok: the pack may be published', () => {
    expect(checkPack(SOURCE)).toMatchObject({ ok: true, ownerPack: 'dev.example.tern-desk' });
    expect(route()).toMatchObject({
      transportKeyHeader: 'x-tern-delivery',
      verificationSchemes: ['github-sha256'],
      eventKind: 'ticket.hinted',
    });
    expect(new Set(SOURCE.deliveries.map((delivery) => delivery.route))).toEqual(new Set(['ticket/hint']));
  });

  it('items: hints in one delivery, a doubled one kept twice', () => {
    expect(extracted('one-hint')).toEqual([
      [0, 'entry|ent-501', '2026-11-02T09:15:00.000000Z', '{"revision":3,"status":"open","ticketId":88}'],
    ]);
    expect(extracted('batched-hints')).toEqual([
      [0, 'entry|ent-601', '2026-11-02T09:20:00.250000Z', '{"revision":1,"status":"open","ticketId":90}'],
      [1, 'entry|ent-602', '2026-11-02T09:20:01.000000Z', '{"revision":5,"status":"solved","ticketId":91}'],
      [2, 'entry|ent-601', '2026-11-02T09:20:00.250000Z', '{"revision":1,"status":"open","ticketId":90}'],
    ]);
  });

  it('items: a bad hint is refused by name and its neighbours go on; a body of another encoding is unreadable', () => {
    expect(extracted('one-bad-among-neighbours')).toEqual([
      [0, 'entry|ent-701', '2026-11-03T08:00:00.000000Z', '{"revision":1,"status":"open","ticketId":92}'],
      [1, 'time-not-canonical'],
      [2, 'entry|ent-703', '2026-11-03T08:00:02.000000Z', '{"revision":6,"status":"solved","ticketId":94}'],
    ]);
    expect(extracted('unreadable-body')).toEqual(['body-not-json']);
  });

  it('request: a ticket is created by one POST, without a key', () => {
    const input = { subject: 'Contact changed: Ada Example', external_ref: 'rec-1001/1', requester: 'ada@example.test' };
    expect(push().request(input, null)).toEqual({
      kind: 'request',
      method: 'POST',
      target: '/v1/tickets',
      headers: [['content-type', 'application/json']],
      body: Buffer.from('{"external_ref":"rec-1001/1","requester":"ada@example.test","subject":"Contact changed: Ada Example"}'),
      providerKey: null,
    });
    expect(push().request(input, 'a-key')).toMatchObject({ kind: 'refused', code: 'provider-key-unsupported' });
    expect(callout()).toMatchObject({ base: 'http://desk.tern.example', credentialRef: 'desk/api-token', idempotency: null });
  });

  it('class: every status of the desk, and nothing is guessed', () => {
    expect(callout().classify(answer(201, '{"id":"tkt-1"}'))).toEqual({ class: 'confirmed', remoteIdentity: 'tkt-1' });
    expect(callout().classify(answer(200, '{"id":42}'))).toEqual({ class: 'confirmed', remoteIdentity: '42' });
    for (const status of [400, 401, 403, 404, 422]) expect(callout().classify(answer(status, '{}'))).toEqual({ class: 'refused_final' });
    for (const status of [202, 302, 408, 409, 425, 500, 502, 503])
      expect(callout().classify(answer(status, '{"id":"x"}')).class).toBe('uncertain');
    const busy = { ...answer(429, '{"error":"slow down"}'), headers: { 'retry-after': '2' } };
    expect(callout().classify(busy)).toEqual({ class: 'refused_for_now', retryAfterMs: 2_000 });
    expect(callout().classify({ ...busy, complete: false })).toEqual({ class: 'uncertain', why: 'body-broken' });
    expect(callout().classify(answer(201, '{"id":"tkt', false))).toEqual({ class: 'uncertain', why: 'body-broken' });
  });
});
