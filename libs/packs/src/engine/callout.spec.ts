import * as fc from 'fast-check';
import type { Json, JsonObject } from '@connector/kernel/jcs';
import { type Answer, type Callout, type Classified, compileCallout } from './callout';

const PROFILE = {
  base: 'https://api.example:8443',
  credential_ref: 'api/token',
  auth: { scheme: 'bearer', header: 'authorization' },
  deadline_ms: 1_000,
  response_bytes_max: 1_024,
  classify: [
    { status: [200, 201], then: 'confirmed' },
    { status: [409], when: "body.code == 'exists'", then: 'confirmed' },
    { status: [404, 429], when: "has(headers.final) && headers.final == 'yes'", then: 'refused_final' },
    { status: [400, 409], then: 'refused_final' },
  ],
  status_is_enough: false,
  remote_identity: 'string(body.id)',
};

function calloutOf(changes: JsonObject = {}): Callout {
  const callout = compileCallout({ ...PROFILE, ...changes });
  if (callout.kind === 'refused') throw new Error(callout.message);
  return callout;
}
function classified(status: number, body: Json | undefined, more: Partial<Answer> = {}, changes: JsonObject = {}): Classified {
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
  return calloutOf(changes).classify({ status, headers: {}, body: bytes, complete: true, ...more });
}
const confirmed = (remoteIdentity: string | null): Classified => ({ class: 'confirmed', remoteIdentity });
const uncertain = (why: string): unknown => ({ class: 'uncertain', why });

describe('compileCallout', () => {
  it('callout: shows what the adapter needs', () => {
    const idempotency = { header: 'x-once', guarantee: 'replays' };
    expect(calloutOf({ idempotency })).toMatchObject({
      base: 'https://api.example:8443',
      credentialRef: 'api/token',
      auth: { scheme: 'bearer', header: 'authorization' },
      deadlineMs: 1_000,
      responseBytesMax: 1_024,
      idempotency,
    });
    expect(calloutOf().idempotency).toBeNull();
  });

  it.each([301, 304, 399, 408, 425, 429, 500, 502, 503, 599])('definition-faulty: %i is never listed as a success', (status) => {
    const profile = { ...PROFILE, classify: [{ status: [status], then: 'confirmed' }] };
    expect(compileCallout(profile)).toMatchObject({
      kind: 'refused',
      faults: [{ code: 'rule-contradicts', pointer: '/classify/0/status' }],
    });
  });

  it.each([200, 204, 301, 304, 408, 500, 501, 502, 504, 599])(
    'definition-faulty: %i is never listed as a refusal that passes: nobody knows what it means',
    (status) => {
      const profile = { ...PROFILE, classify: [{ status: [503, status], then: 'refused_for_now' }] };
      expect(compileCallout(profile)).toMatchObject({
        kind: 'refused',
        faults: [{ code: 'rule-contradicts', pointer: '/classify/0/status', found: `${status}` }],
      });
    },
  );

  it.each<[string, JsonObject]>([
    ['a base with a path', { base: 'https://api.example/v1' }],
    ['a base with a user', { base: 'https://user@api.example' }],
    ['a base of another scheme', { base: 'file:///etc' }],
    ['a default', { default: 'confirmed' }],
    ['no rule', { classify: [] }],
    ['a rule without statuses', { classify: [{ when: 'true', then: 'confirmed' }] }],
    ['another class', { classify: [{ status: [200], then: 'prepared' }] }],
    ['an unknown name in a rule', { classify: [{ status: [200], when: 'answer.ok', then: 'confirmed' }] }],
  ])('definition-faulty: %s', (_, changes) => {
    expect(compileCallout({ ...PROFILE, ...changes })).toMatchObject({ kind: 'refused', code: 'definition-faulty' });
  });
});

describe('classify', () => {
  it.each<[string, number, Json | undefined, Classified]>([
    ['a listed success with its identity', 201, { id: 'r-1' }, confirmed('r-1')],
    ['an integer identity', 200, { id: 17 }, confirmed('17')],
    ['a success without an identity (con:IDN-16)', 201, {}, confirmed(null)],
    ['a success with an identity that is none', 201, { id: ' r-1' }, confirmed(null)],
    ['a success with an identity of another type', 201, { id: null }, confirmed(null)],
    ['a success with a body that is no JSON', 201, undefined, confirmed(null)],
    ['a conflict that the body explains', 409, { code: 'exists', id: 'r-1' }, confirmed('r-1')],
  ])('confirmed: %s', (_, status, body, expected) => {
    expect(classified(status, body)).toEqual(expected);
  });

  it('refused_final: only what the frozen profile lists, by status and rule', () => {
    expect(classified(400, undefined)).toEqual({ class: 'refused_final' });
    expect(classified(409, { code: 'invalid' })).toEqual({ class: 'refused_final' });
    expect(classified(404, {}, { headers: { final: 'yes' } })).toEqual({ class: 'refused_final' });
    expect(classified(429, {}, { headers: { final: 'yes' } })).toEqual({ class: 'refused_final' });
  });

  it('refused_for_now: only by a rule that says so, with what the provider asks to wait', () => {
    const classify = [
      { status: [429, 503], when: "has(headers.processed) && headers.processed == 'no'", then: 'refused_for_now' },
      { status: [423], then: 'refused_for_now' },
    ];
    const by = (status: number, headers: Readonly<Record<string, string>>) => classified(status, {}, { headers }, { classify });
    expect(by(429, { processed: 'no', 'retry-after': '7' })).toEqual({ class: 'refused_for_now', retryAfterMs: 7_000 });
    expect(by(503, { processed: 'no' })).toEqual({ class: 'refused_for_now', retryAfterMs: 0 });
    expect(by(423, { 'retry-after': 'soon' })).toEqual({ class: 'refused_for_now', retryAfterMs: 0 });
    for (const status of [429, 503]) expect(by(status, { 'retry-after': '7' })).toEqual(uncertain('status-not-listed'));
    expect(by(500, { processed: 'no' })).toEqual(uncertain('status-not-listed'));
  });

  it('uncertain: a broken body, whatever a rule says of its status', () => {
    const classify = [{ status: [429], then: 'refused_for_now' }];
    expect(classified(429, {}, { complete: false }, { classify })).toEqual(uncertain('body-broken'));
  });

  it.each([199, 202, 204, 300, 302, 307, 401, 404, 408, 418, 425, 429, 500, 502, 503, 504, 599])(
    'uncertain: %i is not listed',
    (status) => {
      expect(classified(status, { id: 'r-1' })).toEqual(uncertain('status-not-listed'));
    },
  );

  it('uncertain: a rule that cannot be computed is not passed over for a later one', () => {
    expect(classified(409, {})).toEqual(uncertain('rule-not-computable'));
    expect(classified(409, undefined)).toEqual(uncertain('rule-not-computable'));
    expect(classified(400, {}, {}, { classify: [{ status: [400], when: 'body.n', then: 'refused_final' }] })).toEqual(
      uncertain('rule-not-computable'),
    );
  });

  it('uncertain: a broken body, whatever the status', () => {
    for (const status of [200, 201, 400, 500])
      expect(classified(status, { id: 'r' }, { complete: false })).toEqual(uncertain('body-broken'));
  });

  it('confirmed: a broken body where the status is enough, and then nothing is read from it', () => {
    const enough = { status_is_enough: true };
    expect(classified(201, { id: 'r-1' }, { complete: false }, enough)).toEqual(confirmed(null));
    expect(classified(400, undefined, { complete: false }, enough)).toEqual({ class: 'refused_final' });
    expect(classified(409, { code: 'exists' }, { complete: false }, enough)).toEqual(uncertain('rule-not-computable'));
    expect(classified(500, undefined, { complete: false }, enough)).toEqual(uncertain('status-not-listed'));
  });

  it('any class: never throws, and a status that no rule lists is always uncertain', () => {
    const callout = calloutOf();
    const answer = fc.record({
      status: fc.integer({ min: 100, max: 599 }),
      headers: fc.dictionary(fc.string({ maxLength: 6 }), fc.string({ maxLength: 6 })),
      body: fc
        .oneof(
          fc.uint8Array({ maxLength: 40 }),
          fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
        )
        .map((bytes) => Buffer.from(bytes)),
      complete: fc.boolean(),
    });
    fc.assert(
      fc.property(answer, (given) => {
        const { class: result } = callout.classify(given);
        if (![200, 201, 400, 404, 409, 429].includes(given.status)) expect(result).toBe('uncertain');
      }),
      { seed: 20261130, numRuns: 1_000 },
    );
  });
});
