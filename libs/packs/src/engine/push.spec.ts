import * as fc from 'fast-check';
import type { Json, JsonObject } from '@connector/kernel/jcs';
import { compilePush, type Push, type PushRequest } from './push';

const PROFILE = {
  base: 'https://api.example',
  credential_ref: 'api/token',
  auth: { scheme: 'bearer', header: 'authorization' },
  deadline_ms: 1_000,
  response_bytes_max: 1_024,
  classify: [{ status: [201], then: 'confirmed' }],
  status_is_enough: false,
};
const KEYED = { ...PROFILE, idempotency: { header: 'x-once', guarantee: 'replays' } };
const REQUEST = {
  method: 'POST',
  path: ["'v1'", 'input.id', "'notes'"],
  query: { notify: 'has(input.notify) ? input.notify : null', a: "'1 2'" },
  headers: { 'x-trace': 'input.id' },
  body: { text: 'input.text', meta: "{'id': input.id}" },
};
const CONTRACT = {
  callout_profile: 'api',
  slot: 'note',
  intent: 'add-note',
  input: { required: ['id', 'text'], optional: ['notify'] },
  request: REQUEST,
};

function pushOf(request: JsonObject = REQUEST, profile: Json = PROFILE): Push {
  const push = compilePush({ ...CONTRACT, request }, profile);
  if (push.kind === 'refused') throw new Error(push.message);
  return push;
}
function requested(push: Push, input: Json, key: string | null = null): PushRequest {
  const request = push.request(input, key);
  if (request.kind === 'refused') throw new Error(`${request.code}: ${request.message}`);
  return request;
}
const INPUT = { id: 'n-1', text: 'hello' };

describe('compilePush', () => {
  it('push: shows slot, intent and profile', () => {
    expect(pushOf()).toMatchObject({ kind: 'push', slot: 'note', intent: 'add-note', calloutProfile: 'api' });
  });

  it.each([
    'authorization',
    'cookie',
    'host',
    'content-length',
    'content-type',
    'transfer-encoding',
    'proxy-authorization',
    'x-forwarded-for',
    'idempotency-key',
    'x-once',
  ])('definition-faulty: the header %s is not for definitions', (header) => {
    const push = compilePush({ ...CONTRACT, request: { ...REQUEST, headers: { [header]: "'x'" } } }, KEYED);
    expect(push).toMatchObject({
      kind: 'refused',
      code: 'definition-faulty',
      faults: [{ code: 'header-reserved', pointer: `/request/headers/${header}` }],
    });
  });

  it.each<[string, JsonObject]>([
    ['a method that changes nothing', { ...REQUEST, method: 'GET' }],
    ['an upper-case header', { ...REQUEST, headers: { 'X-Trace': "'x'" } }],
    ['an expression over another name', { ...REQUEST, path: ['item.id'] }],
    ['no path', { ...REQUEST, path: [] }],
    ['a host', { ...REQUEST, host: 'elsewhere.example' }],
  ])('definition-faulty: %s', (_, request) => {
    expect(compilePush({ ...CONTRACT, request }, PROFILE)).toMatchObject({ kind: 'refused', code: 'definition-faulty' });
  });

  it('definition-faulty: a member is required or optional, not both', () => {
    const contract = { ...CONTRACT, input: { required: ['id', 'text'], optional: ['id'] } };
    expect(compilePush(contract, PROFILE)).toMatchObject({ kind: 'refused', faults: [{ code: 'rule-contradicts', found: 'id' }] });
  });
});

describe('request', () => {
  it('request: method, target, sorted headers and canonical body, and no key where the profile honours none (con:IDN-13)', () => {
    expect(requested(pushOf(), INPUT)).toEqual({
      kind: 'request',
      method: 'POST',
      target: '/v1/n-1/notes?a=1%202',
      headers: [
        ['content-type', 'application/json'],
        ['x-trace', 'n-1'],
      ],
      body: Buffer.from('{"meta":{"id":"n-1"},"text":"hello"}'),
      providerKey: null,
    });
  });

  it('request: the query is sorted, and a bool or an integer is written plainly', () => {
    expect(requested(pushOf(), { ...INPUT, notify: true }).target).toBe('/v1/n-1/notes?a=1%202&notify=true');
    expect(requested(pushOf(), { ...INPUT, notify: 7 }).target).toBe('/v1/n-1/notes?a=1%202&notify=7');
  });

  it('request: without a body there are no bytes and no content type', () => {
    const { body: _, ...bare } = REQUEST;
    expect(requested(pushOf({ ...bare, method: 'DELETE' }), INPUT)).toMatchObject({ headers: [['x-trace', 'n-1']], body: Buffer.alloc(0) });
  });

  it('request: exactly the one key is handed on, and it is no header yet (con:IDN-13)', () => {
    const request = requested(pushOf(REQUEST, KEYED), INPUT, 'key-1');
    expect(request.providerKey).toBe('key-1');
    expect(JSON.stringify(request.headers)).not.toContain('key-1');
  });

  it('request: a value adds no segment, query or fragment', () => {
    expect(requested(pushOf({ ...REQUEST, headers: { 'x-trace': "'t'" } }), { ...INPUT, id: "../a?b#c/%2e !'()*é" }).target).toBe(
      '/v1/..%2Fa%3Fb%23c%2F%252e%20%21%27%28%29%2A%C3%A9/notes?a=1%202',
    );
  });

  it.each<[string, Json, string | null, Json]>([
    ['input-not-an-object', null, null, PROFILE],
    ['input-not-an-object', [], null, PROFILE],
    ['input-not-an-object', 'text', null, PROFILE],
    ['input-not-json', { ...INPUT, text: '\ud800' }, null, PROFILE],
    ['input-not-json', { ...INPUT, text: Number.NaN }, null, PROFILE],
    ['input-member-missing', { id: 'n-1' }, null, PROFILE],
    ['input-member-missing', JSON.parse('{"id":"n-1","__proto__":{"text":"x"}}'), null, PROFILE],
    ['input-member-unknown', { ...INPUT, admin: true }, null, PROFILE],
    ['segment-refused', { ...INPUT, id: '' }, null, PROFILE],
    ['segment-refused', { ...INPUT, id: '.' }, null, PROFILE],
    ['segment-refused', { ...INPUT, id: '..' }, null, PROFILE],
    ['segment-refused', { ...INPUT, id: 'a\u0000' }, null, PROFILE],
    ['segment-refused', { ...INPUT, id: 'x'.repeat(513) }, null, PROFILE],
    ['header-refused', { ...INPUT, id: 'a\u00e9' }, null, PROFILE],
    ['wrong-type', { ...INPUT, id: { a: 1 } }, null, PROFILE],
    ['wrong-type', { ...INPUT, id: true }, null, PROFILE],
    ['wrong-type', { ...INPUT, notify: [1] }, null, PROFILE],
    ['too-large', { ...INPUT, text: 'x'.repeat(65_537) }, null, PROFILE],
    ['too-large', { ...INPUT, text: 'x'.repeat(300_000) }, null, PROFILE],
    ['provider-key-unsupported', INPUT, 'key-1', PROFILE],
    ['provider-key-missing', INPUT, null, KEYED],
    ['provider-key-not-canonical', INPUT, '', KEYED],
    ['provider-key-not-canonical', INPUT, 'a\r\nx: y', KEYED],
    ['provider-key-not-canonical', INPUT, 'x'.repeat(256), KEYED],
  ])('%s: makes no request', (code, input, key, profile) => {
    expect(pushOf(REQUEST, profile).request(input, key)).toMatchObject({ kind: 'refused', code });
  });

  it('input-member-missing: what every object inherits is no member of an input', () => {
    const push = compilePush({ ...CONTRACT, input: { required: ['toString'], optional: [] } }, PROFILE);
    expect(push.kind === 'push' && push.request({}, null)).toMatchObject({ kind: 'refused', code: 'input-member-missing' });
  });

  it('header-refused: no value begins a line', () => {
    const push = pushOf({ ...REQUEST, path: ["'v1'"], headers: { 'x-note': 'input.text' } });
    for (const text of ['a\r\nset-cookie: b', 'a\nb', ' a', 'a ', '', 'a\u0000']) {
      expect(push.request({ ...INPUT, text }, null)).toMatchObject({ kind: 'refused', code: 'header-refused' });
    }
  });

  it('refused: the message holds no value of the input', () => {
    const canary = 'canary-91c2';
    for (const input of [
      { id: { canary }, text: canary },
      { ...INPUT, [canary]: canary },
      { ...INPUT, id: `${canary}\n` },
    ]) {
      expect(JSON.stringify(pushOf().request(input, null))).not.toContain(canary);
    }
  });

  it('request or refused: never throws, the target stays below its two fixed segments, and the same input gives the same bytes', () => {
    const [one, two] = [pushOf(), pushOf()];
    const input = fc.oneof(
      fc.jsonValue(),
      fc.record({ id: fc.string({ unit: 'binary', maxLength: 8 }), text: fc.jsonValue({ maxDepth: 2 }) }),
    );
    fc.assert(
      fc.property(input, (value) => {
        const made = one.request(JSON.parse(JSON.stringify(value)), null);
        expect(two.request(JSON.parse(JSON.stringify(value)), null)).toEqual(made);
        if (made.kind === 'request') expect(new URL(made.target, 'https://api.example').pathname).toMatch(/^\/v1\/[^/]+\/notes$/);
      }),
      { seed: 20261130, numRuns: 1_000 },
    );
  });
});
