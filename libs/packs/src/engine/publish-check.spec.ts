import type { Json, JsonObject } from '@connector/kernel/jcs';
import { VERIFICATION_SCHEMES } from '../model/verification-schemes';
import { checkPack } from './publish-check';

const ROUTE = {
  verification_schemes: ['standard-webhooks'],
  transport_key_header: 'webhook-id',
  items_max: 10,
  event_kind: 'thing.changed',
  source_event_key: ['item.id'],
  ordering: { kind: 'order_independent', partition: ['item.id'], commutativity_proof: 'greatest seq wins' },
  window: 'immediate',
  mapping: 'thing/default',
};
const PROFILE = {
  base: 'https://api.example',
  credential_ref: 'api/token',
  auth: { scheme: 'bearer', header: 'authorization' },
  deadline_ms: 1_000,
  response_bytes_max: 1_024,
  classify: [{ status: [200], then: 'confirmed' }],
  status_is_enough: false,
};
const PUSH = {
  callout_profile: 'api',
  slot: 'thing',
  intent: 'make-thing',
  input: { required: ['id'], optional: [] },
  request: { method: 'POST', path: ["'things'"], headers: { 'x-id': 'input.id' } },
};
const entry = (business_key: string, definition: Json, definition_version = '1'): JsonObject => ({
  business_key,
  definition_version,
  definition,
});
const DEFINITIONS = {
  'push-contract': [entry('thing/make', PUSH)],
  'inbound-route': [entry('thing/changed', ROUTE)],
  'field-mapping': [entry('thing/default', { fields: { id: 'item.id' } })],
  'callout-profile': [entry('api', PROFILE)],
};
const packOf = (definitions: JsonObject): { pack: Json } => ({
  pack: { owner_pack: 'dev.example.things', pack_version: '1.0.0', definitions },
});

function faultsOf(definitions: JsonObject): readonly string[] {
  const check = checkPack(packOf({ ...DEFINITIONS, ...definitions }));
  return check.ok ? [] : check.faults.map((fault) => `${fault.pointer} ${fault.code}`);
}

describe('checkPack', () => {
  it('ok: all four kinds, in the order of the manifest (con:DEFN-F)', () => {
    const check = checkPack(packOf(DEFINITIONS));
    expect(check).toMatchObject({ ok: true, ownerPack: 'dev.example.things', packVersion: '1.0.0' });
    expect(check.ok && check.definitions.map((definition) => `${definition.kind} ${definition.businessKey}`)).toEqual([
      'callout-profile api',
      'field-mapping thing/default',
      'inbound-route thing/changed',
      'push-contract thing/make',
    ]);
  });

  it('ok: two versions of one name may stand side by side, ordered bytewise', () => {
    const mappings = ['10', '9', 'B', 'a'].map((version) => entry('thing/default', { fields: { id: 'item.id' } }, version)).reverse();
    const check = checkPack(packOf({ ...DEFINITIONS, 'field-mapping': mappings }));
    expect(check.ok && check.definitions.flatMap((d) => (d.kind === 'field-mapping' ? [d.definitionVersion] : []))).toEqual([
      '10',
      '9',
      'B',
      'a',
    ]);
  });

  it('faults: a fifth kind, and a member that no pack has', () => {
    expect(faultsOf({ 'poll-source': [] })).toEqual(['/definitions shape-wrong']);
    expect(checkPack({ pack: { owner_pack: 'dev.example.things', pack_version: '1', definitions: {}, scripts: {} } })).toMatchObject({
      ok: false,
      faults: [{ code: 'shape-wrong', found: 'scripts' }],
    });
    expect(checkPack({ pack: null }).ok).toBe(false);
  });

  it.each<[string, JsonObject]>([
    [
      '/definitions/inbound-route/0/definition/mapping reference-unknown',
      { 'field-mapping': [entry('other', { fields: { id: 'item.id' } })] },
    ],
    ['/definitions/push-contract/0/definition/callout_profile reference-unknown', { 'callout-profile': [entry('other', PROFILE)] }],
    ['/definitions/callout-profile/1 duplicate-definition', { 'callout-profile': [entry('api', PROFILE), entry('api', PROFILE)] }],
    [
      '/definitions/inbound-route/0/definition/occurred_at name-unknown',
      { 'inbound-route': [entry('thing/changed', { ...ROUTE, occurred_at: 'now' })] },
    ],
    [
      '/definitions/field-mapping/0/definition/fields/id function-refused',
      { 'field-mapping': [entry('thing/default', { fields: { id: 'uuid()' } })] },
    ],
    [
      '/definitions/push-contract/0/definition/request/headers/x-once header-reserved',
      {
        'callout-profile': [entry('api', { ...PROFILE, idempotency: { header: 'x-once', guarantee: 'replays' } })],
        'push-contract': [entry('thing/make', { ...PUSH, request: { ...PUSH.request, headers: { 'x-once': 'input.id' } } })],
      },
    ],
    [
      '/definitions/callout-profile/0/definition/classify/0/status rule-contradicts',
      {
        'callout-profile': [entry('api', { ...PROFILE, classify: [{ status: [500], then: 'confirmed' }] })],
      },
    ],
    [
      '/definitions/inbound-route/0/definition/items_max cost-over-ceiling',
      {
        'inbound-route': [entry('thing/changed', { ...ROUTE, items_max: 5_000 })],
        'field-mapping': [entry('thing/default', { fields: { id: 'item.list.filter(x, x > 0)[0]' } })],
      },
    ],
    ['/definitions/field-mapping/0 shape-wrong', { 'field-mapping': [{ business_key: 'thing/default', definition_version: '1' }] }],
    [
      '/definitions/field-mapping/1/definition_version shape-wrong',
      {
        'field-mapping': ['1', '1'.repeat(33)].map((version) => entry('thing/default', { fields: { id: 'item.id' } }, version)),
      },
    ],
    [
      '/definitions too-large',
      {
        'field-mapping': Array.from({ length: 256 }, (_, n) => entry('thing/default', { fields: { id: 'item.id' } }, `${n}`)),
        'callout-profile': [entry('api', PROFILE), ...Array.from({ length: 244 }, (_, n) => entry(`other-${n}`, PROFILE))],
      },
    ],
    [
      '/definitions/field-mapping/0/definition too-large',
      {
        'field-mapping': [
          entry('thing/default', {
            fields: Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`m${n}`, `'${'\u0001'.repeat(1_000)}'`])),
          }),
        ],
      },
    ],
  ])('fault: %s', (fault, definitions) => {
    expect(faultsOf(definitions)).toEqual([fault]);
  });

  describe('the header of the transport key', () => {
    const { transport_key_header: _, ...headless } = ROUTE;
    const faultsBy = (verification_schemes: readonly string[], header?: string) => {
      const route = { ...headless, verification_schemes, ...(header === undefined ? {} : { transport_key_header: header }) };
      return faultsOf({ 'inbound-route': [entry('thing/changed', route)] });
    };
    const CONTRADICTS = '/definitions/inbound-route/0/definition/transport_key_header rule-contradicts';

    it('ok: none, and of a scheme that signs no id any header that its deliveries carry', () => {
      for (const scheme of VERIFICATION_SCHEMES) expect(faultsBy([scheme])).toEqual([]);
      for (const scheme of ['github-sha256', 'stripe', 'slack', 'shopify']) expect(faultsBy([scheme], 'x-thing-id')).toEqual([]);
    });

    it('fault: another one than a scheme of the route signs', () => {
      expect(faultsBy(['standard-webhooks'], 'x-thing-id')).toEqual([CONTRADICTS]);
      expect(faultsBy(['github-sha256', 'standard-webhooks-v1a'], 'x-thing-id')).toEqual([CONTRADICTS]);
      expect(faultsBy(['github-sha256', 'standard-webhooks-v1a'], 'webhook-id')).toEqual([]);
    });

    it('fault: the signature or its time, for a retry is signed anew', () => {
      expect(faultsBy(['stripe'], 'stripe-signature')).toEqual([CONTRADICTS]);
      expect(faultsBy(['slack'], 'x-slack-request-timestamp')).toEqual([CONTRADICTS]);
      expect(faultsBy(['shopify', 'slack'], 'x-shopify-hmac-sha256')).toEqual([CONTRADICTS]);
    });

    it('fault: a scheme that nobody can verify', () => {
      expect(faultsBy(['standard-webhooks', 'plain-text'])).toEqual([
        '/definitions/inbound-route/0/definition/verification_schemes/1 shape-wrong',
      ]);
    });
  });

  it('fault: more text than a pack may have, before any of it is parsed', () => {
    const fields = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`m${n}`, 'x'.repeat(2_048)]));
    expect(faultsOf({ 'field-mapping': [entry('thing/default', { fields })] })).toEqual([' too-large']);
  });

  it('faults: all of a pack together, each with its own pointer', () => {
    const faults = faultsOf({
      'inbound-route': [entry('thing/changed', { ...ROUTE, items: 'nothing', source_event_key: ['item.', 'b'], mapping: 'none' })],
      'push-contract': [entry('thing/make', { ...PUSH, slot: 'Not A Name', extra: 1 })],
    });
    expect([...faults].sort()).toEqual([
      '/definitions/inbound-route/0/definition/items name-unknown',
      '/definitions/inbound-route/0/definition/mapping reference-unknown',
      '/definitions/inbound-route/0/definition/source_event_key/0 expression-unreadable',
      '/definitions/inbound-route/0/definition/source_event_key/1 name-unknown',
      '/definitions/push-contract/0/definition shape-wrong',
      '/definitions/push-contract/0/definition/slot shape-wrong',
    ]);
  });
});
