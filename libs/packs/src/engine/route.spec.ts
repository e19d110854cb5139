import * as fc from 'fast-check';
import { type Json, type JsonObject, jcs } from '@connector/kernel/jcs';
import type { ExtractedItem } from './item';
import { compileRoute, type DeliveryFacts, type Extraction, type Route } from './route';

const ORDERING = { kind: 'order_independent', partition: ['account', 'item.id'], commutativity_proof: 'greatest seq wins' };
const ROUTE = {
  verification_schemes: ['standard-webhooks'],
  transport_key_header: 'webhook-id',
  items: 'body.changes',
  items_max: 50,
  refuse: [{ when: 'has(item.test) && item.test', message: 'a test change' }],
  event_kind: 'thing.changed',
  source_event_key: ["'thing'", 'item.id', 'item.seq'],
  occurred_at: 'has(item.at) ? item.at : null',
  ordering: ORDERING,
  window: 'immediate',
  mapping: 'thing/default',
};
const MAPPING = { fields: { id: 'item.id', from: 'account', event: 'event.kind', key: 'event.key', size: 'item.size' } };

function routeOf(changes: JsonObject = {}, mapping: Json = MAPPING): Route {
  const route = compileRoute({ ...ROUTE, ...changes }, mapping);
  if (route.kind === 'refused') throw new Error(route.message);
  return route;
}
const bodyOf = (...changes: Json[]): Buffer => jcs({ changes });
const good = (id: string): JsonObject => ({ id, seq: 1, size: 2 });
function itemsOf(extraction: Extraction): readonly { kind: string; ordinal: number; code?: string; message?: string }[] {
  if (extraction.kind === 'unreadable') throw new Error(extraction.message);
  return extraction.items;
}
function first(route: Route, ...changes: Json[]): ExtractedItem {
  const [item] = itemsOf(route.extract('acme/main', bodyOf(...changes)));
  if (item?.kind !== 'item') throw new Error(JSON.stringify(item));
  return item as ExtractedItem;
}

describe('compileRoute', () => {
  it('route: shows what admission needs, with the contract in canonical bytes (con:OCON-F)', () => {
    const route = routeOf();
    expect(route).toMatchObject({
      transportKeyHeader: 'webhook-id',
      verificationSchemes: ['standard-webhooks'],
      eventKind: 'thing.changed',
    });
    expect(route.orderingContract.equals(jcs(ORDERING))).toBe(true);
  });

  const position = { type: 'u64', value: 'item.seq', comparator: 'u64/v1' };
  const terminal = { rejected: 'advance', failed: 'hold' };
  const LATEST = { kind: 'latest_source_position', partition: ['item.id'], position, tie_breaker: position, settle_ms: 2_000, terminal };
  const STRICT = {
    kind: 'strict_source_sequence',
    partition: ['item.id'],
    position,
    successor: 'plus_one',
    gap: { after_ms: 1_800_000, then: 'quarantine' },
    terminal,
  };
  const without = (contract: JsonObject, member: string): JsonObject =>
    Object.fromEntries(Object.entries(contract).filter(([name]) => name !== member));

  it.each<JsonObject>([
    { ...LATEST, start: 'first_observed' },
    { ...STRICT, start: '1' },
  ])('route: con:OCON-F con:ORD-04 con:ORD-05 %j is a contract that says everything', (ordering) => {
    const route = routeOf({ ordering });
    expect(route.ordering).toEqual(ordering);
    expect(first(route, good('a')).order?.position).toEqual({ kind: 'u64', value: 1n });
  });

  it.each<JsonObject>([LATEST, STRICT, { ...LATEST, start: 'snapshot_barrier' }, { ...STRICT, start: 'snapshot_barrier' }])(
    'ordering-not-executable: %j leaves open where its lanes begin, and is refused by name (decisions 13.5)',
    (ordering) => {
      expect(compileRoute({ ...ROUTE, ordering }, MAPPING)).toMatchObject({ kind: 'refused', code: 'ordering-not-executable' });
    },
  );

  it.each<[string, JsonObject]>([
    ...['partition', 'position', 'tie_breaker', 'settle_ms', 'terminal'].map((member): [string, JsonObject] => [
      `con:ORD-04 PUB-ORD-04 a latest order without ${member}`,
      without({ ...LATEST, start: 'first_observed' }, member),
    ]),
    ...['partition', 'position', 'successor', 'gap', 'terminal'].map((member): [string, JsonObject] => [
      `con:ORD-05 a strict order without ${member}`,
      without({ ...STRICT, start: '1' }, member),
    ]),
    [
      'con:ORD-05 a strict order whose positions have no exact successor',
      { ...STRICT, position: { ...position, type: 'text', comparator: 'bytewise/v1' } },
    ],
    ['con:ORD-07 a position under the comparator of another type', { ...LATEST, position: { ...position, comparator: 'bytewise/v1' } }],
    [
      'con:ORD-07 a tie-breaker under the comparator of another type',
      { ...LATEST, tie_breaker: { ...position, comparator: 'instant/v1' } },
    ],
    ['a strict order that begins behind the last position', { ...STRICT, start: '18446744073709551616' }],
    ['a strict order that begins where it is first observed', { ...STRICT, start: 'first_observed' }],
  ])('definition-faulty: %s', (_, ordering) => {
    expect(compileRoute({ ...ROUTE, ordering }, MAPPING)).toMatchObject({ kind: 'refused', code: 'definition-faulty' });
  });

  it.each<[string, JsonObject, unknown]>([
    ['an integer', { type: 'u64', value: 'item.seq', comparator: 'u64/v1' }, { kind: 'u64', value: 1n }],
    [
      'a decimal text beyond 2^53',
      { type: 'u64', value: "'18446744073709551615'", comparator: 'u64/v1' },
      { kind: 'u64', value: 18446744073709551615n },
    ],
    ['a text', { type: 'text', value: 'item.id', comparator: 'bytewise/v1' }, { kind: 'bytes', value: Buffer.from('a') }],
    [
      'a time of any zone',
      { type: 'instant', value: "'2026-11-02T09:15:00+01:00'", comparator: 'instant/v1' },
      { kind: 'instant', value: '2026-11-02T08:15:00.000000Z' },
    ],
  ])('item: con:ORD-06 %s is a typed position', (_, given, expected) => {
    const route = routeOf({ ordering: { ...LATEST, position: given, start: 'first_observed' } });
    expect(first(route, good('a')).order).toEqual({ position: expected, tieBreaker: { kind: 'u64', value: 1n } });
  });

  it.each<[string, JsonObject, string]>([
    ['a negative number', { type: 'u64', value: '-1', comparator: 'u64/v1' }, 'position-not-canonical'],
    ['a number with leading zeros', { type: 'u64', value: "'007'", comparator: 'u64/v1' }, 'position-not-canonical'],
    ['a number over 64 bits', { type: 'u64', value: "'18446744073709551616'", comparator: 'u64/v1' }, 'position-not-canonical'],
    ['a fraction', { type: 'u64', value: '1.5', comparator: 'u64/v1' }, 'wrong-type'],
    ['an empty text', { type: 'text', value: "''", comparator: 'bytewise/v1' }, 'position-not-canonical'],
    ['no time', { type: 'instant', value: "'yesterday'", comparator: 'instant/v1' }, 'position-not-canonical'],
    ['nothing', { type: 'u64', value: 'item.nothing', comparator: 'u64/v1' }, 'member-missing'],
  ])('refused: con:ORD-04 %s is no position, and its neighbours go on', (_, given, code) => {
    const route = routeOf({ ordering: { ...LATEST, position: given, start: 'first_observed' } });
    expect(itemsOf(route.extract('acme/main', bodyOf(good('a'))))).toMatchObject([{ kind: 'refused', code }]);
  });

  it.each<[string, JsonObject]>([
    ['an unknown member', { ...ROUTE, extra: 1 }],
    ['con:ORD-03 an order without a proof', { ...ROUTE, ordering: { kind: 'order_independent', partition: ['account'] } }],
    ['an order of another kind', { ...ROUTE, ordering: { kind: 'none', partition: ['account'] } }],
    ['more items than may be', { ...ROUTE, items_max: 5_001 }],
    ['an expression over a name of another place', { ...ROUTE, occurred_at: 'body.at' }],
    ['a header that carries a credential', { ...ROUTE, headers: ['x-kind', 'authorization'] }],
    ['more headers than may be', { ...ROUTE, headers: Array.from({ length: 9 }, (_, at) => `x-${at}`) }],
    ['a dear expression times its items', { ...ROUTE, items_max: 5_000, occurred_at: 'item.list.filter(x, x != null)[0]' }],
  ])('definition-faulty: %s', (_, definition) => {
    expect(compileRoute(definition, MAPPING)).toMatchObject({ kind: 'refused', code: 'definition-faulty' });
  });
});

describe('extract', () => {
  it('item: component, event key, partition and input in canonical bytes (con:EVT-F, con:PRJ-F)', () => {
    const item = first(routeOf(), { seq: 7, id: 'a-1', size: 3, at: '2026-11-02T09:15:00+01:00' });
    expect(item).toMatchObject({
      kind: 'item',
      ordinal: 0,
      eventKind: 'thing.changed',
      occurredAt: '2026-11-02T08:15:00.000000Z',
      order: null,
    });
    expect(item.bytes.toString()).toBe('{"at":"2026-11-02T09:15:00+01:00","id":"a-1","seq":7,"size":3}');
    expect(item.sourceEventKey.toString()).toBe('thing\0a-1\x007');
    expect(item.partition.toString()).toBe('acme/main\0a-1');
    expect(item.input.toString()).toBe('{"event":"thing.changed","from":"acme/main","id":"a-1","key":["thing","a-1","7"],"size":3}');
  });

  it('item: without `items` the body itself is the one item', () => {
    const { items: _, ...whole } = ROUTE;
    const route = compileRoute(whole, MAPPING);
    if (route.kind === 'refused') throw new Error(route.message);
    expect(itemsOf(route.extract('acme/main', jcs(good('a'))))).toMatchObject([{ kind: 'item', ordinal: 0 }]);
    expect(itemsOf(route.extract('acme/main', jcs([good('a')])))).toMatchObject([{ kind: 'refused', ordinal: 0 }]);
  });

  it('item: two items with one key are both kept, in order', () => {
    const items = itemsOf(routeOf().extract('acme/main', bodyOf(good('a'), good('a'))));
    expect(items.map((item) => [item.kind, item.ordinal])).toEqual([
      ['item', 0],
      ['item', 1],
    ]);
  });

  it('item: 1 and "1" are one part of a key, 1 and "01" are two (con:IDN-06)', () => {
    const key = (seq: Json): string => first(routeOf(), { ...good('a'), seq }).sourceEventKey.toString('hex');
    expect(key(1)).toBe(key('1'));
    expect(key(1)).not.toBe(key('01'));
  });

  const BESIDE = {
    headers: ['x-kind'],
    source_event_key: ["'delivery'", 'delivery.key'],
  };
  const KIND = { fields: { kind: "delivery.headers['x-kind']", key: 'delivery.key' } };

  it('item: reads the transport key and the headers that came beside the body (con:EVT-F)', () => {
    const facts = { key: 'd-1', headers: { 'x-kind': 'push' } };
    const [item] = itemsOf(routeOf(BESIDE, KIND).extract('acme/main', bodyOf(good('a')), facts)) as readonly ExtractedItem[];
    expect(item?.sourceEventKey.toString()).toBe('delivery\0d-1');
    expect(item?.input.toString()).toBe('{"key":"d-1","kind":"push"}');
    expect(routeOf(BESIDE, KIND).headers).toEqual(['x-kind']);
    expect(routeOf().headers).toEqual([]);
  });

  it.each<[string, DeliveryFacts | undefined]>([
    ['the header was not sent', { key: 'd-1', headers: {} }],
    ['nothing is known of the delivery', undefined],
  ])('member-missing: refuses the item where %s', (_, facts) => {
    expect(itemsOf(routeOf(BESIDE, KIND).extract('acme/main', bodyOf(good('a')), facts))).toMatchObject([
      { kind: 'refused', code: 'member-missing' },
    ]);
  });

  it.each<[string, Json]>([
    ['member-missing', { id: 'b', seq: 1 }],
    ['member-missing', {}],
    ['wrong-type', { ...good('b'), id: true }],
    ['wrong-type', { ...good('b'), id: 1.5 }],
    ['wrong-type', { ...good('b'), test: 'yes' }],
    ['refused-by-pack', { ...good('b'), test: true }],
    ['key-not-canonical', good('')],
    ['key-not-canonical', good(' b')],
    ['key-not-canonical', good('b\0c')],
    ['key-not-canonical', good('b'.repeat(256))],
    ['time-not-canonical', { ...good('b'), at: 'yesterday' }],
    ['time-not-canonical', { ...good('b'), at: 1_700_000_000 }],
    ['too-large', { ...good('b'), note: 'x'.repeat(65_537) }],
    ['too-large', { ...good('b'), notes: Array.from({ length: 5 }, () => 'x'.repeat(60_000)) }],
    ['member-missing', 'no object'],
    ['member-missing', null],
  ])('%s: refuses one item (%j) and leaves its neighbours alone', (code, bad) => {
    const items = itemsOf(routeOf().extract('acme/main', bodyOf(good('a'), bad, good('c'))));
    expect(items.map((item) => item.kind)).toEqual(['item', 'refused', 'item']);
    expect(items[1]?.ordinal).toBe(1);
    expect(items[1]?.code).toBe(code);
  });

  it("refused-by-pack: carries the pack's own message", () => {
    expect(itemsOf(routeOf().extract('acme/main', bodyOf({ ...good('a'), test: true })))).toEqual([
      { kind: 'refused', ordinal: 0, code: 'refused-by-pack', message: 'a test change' },
    ]);
  });

  it('refused: the message names the place and the expression, and no value of the payload', () => {
    const canary = 'canary-7f3a';
    const bad: Json[] = [
      { id: { canary } },
      { ...good(`${canary}\n`) },
      { ...good(canary), at: canary },
      { [canary]: canary },
      canary,
      [canary],
      { ...good('a'), note: canary.repeat(6_000) },
    ];
    const items = itemsOf(routeOf().extract('acme/main', bodyOf(...bad)));
    expect(items.map((item) => item.kind)).toEqual(bad.map(() => 'refused'));
    expect(JSON.stringify(items)).not.toContain(canary);
    expect(items[1]?.message).toBe('source_event_key: a part with a blank end');
  });

  it('refused: a message has at most 500 bytes', () => {
    const long = `item.${'a'.repeat(800)}`;
    const [item] = itemsOf(routeOf({}, { fields: { long } }).extract('acme/main', bodyOf(good('a'))));
    expect(item?.code).toBe('member-missing');
    expect(Buffer.byteLength(item?.message ?? '')).toBe(500);
  });

  it('wrong-type: an integer that JSON does not hold exactly is not written into an input', () => {
    const [item] = itemsOf(routeOf({}, { fields: { n: 'item.seq * 9007199254740993' } }).extract('acme/main', bodyOf(good('a'))));
    expect(item).toMatchObject({ kind: 'refused', code: 'out-of-range' });
  });

  it.each<[string, string]>([
    ['body-not-json', '{"changes":['],
    ['body-not-json', ''],
    ['body-not-json', '{"changes":[],"changes":[]}'],
    ['body-not-json', '{"changes":[9007199254740993]}'],
    ['body-not-json', '\u{feff}{"changes":[]}'],
    ['items-unreadable', '{}'],
    ['items-unreadable', '[]'],
    ['items-unreadable', 'null'],
    ['items-unreadable', '{"changes":null}'],
    ['items-unreadable', '{"changes":{"0":{}}}'],
    ['items-unreadable', '{"changes":"abc"}'],
    ['too-many-items', JSON.stringify({ changes: Array.from({ length: 51 }, () => ({})) })],
  ])('%s: %s refuses the whole body', (code, body) => {
    expect(routeOf().extract('acme/main', Buffer.from(body))).toMatchObject({ kind: 'unreadable', code });
  });

  it('body-not-json: says where, and quotes nothing', () => {
    const extraction = routeOf().extract('acme/main', Buffer.from('{"secret-canary": secret-canary}'));
    expect(extraction).toMatchObject({ kind: 'unreadable', message: expect.stringMatching(/^syntax at byte \d+: /) });
    expect(JSON.stringify(extraction)).not.toContain('canary');
  });

  it('items: an empty list is readable and holds nothing', () => {
    expect(routeOf().extract('acme/main', bodyOf())).toEqual({ kind: 'items', items: [] });
  });

  it('items: 3,000 small items, near what the parser lets through, are read in tolerable time', () => {
    const route = routeOf({ items_max: 5_000 });
    const body = bodyOf(...Array.from({ length: 3_000 }, (_, at) => good(`r${at}`)));
    const from = process.cpuUsage();
    expect(itemsOf(route.extract('acme/main', body))).toHaveLength(3_000);
    expect(process.cpuUsage(from).user / 1e3).toBeLessThan(3_000);
  });
});

describe('extract, any body', () => {
  const seed = 20261130;
  it('items or unreadable: never throws, and the same bytes give the same answer in another compiled route', () => {
    const [one, two] = [routeOf(), routeOf()];
    const item = fc.oneof(
      fc.jsonValue({ maxDepth: 4 }),
      fc.record(
        {
          id: fc.jsonValue({ maxDepth: 1 }),
          seq: fc.jsonValue({ maxDepth: 1 }),
          size: fc.jsonValue({ maxDepth: 2 }),
          at: fc.jsonValue({ maxDepth: 1 }),
        },
        { requiredKeys: [] },
      ),
    );
    const body = fc.oneof(fc.jsonValue(), fc.record({ changes: fc.array(item, { maxLength: 8 }) }));
    fc.assert(
      fc.property(body, (value) => {
        const bytes = Buffer.from(JSON.stringify(value));
        expect(two.extract('acme/main', bytes)).toEqual(one.extract('acme/main', bytes));
      }),
      { seed, numRuns: 600 },
    );
  });

  it('items: what becomes of an item does not depend on its neighbours', () => {
    const route = routeOf();
    const item = fc.oneof(
      fc.constantFrom<Json>(good('a'), { id: 'x' }, null, 7, { ...good('z'), test: true }),
      fc.record({ id: fc.string(), seq: fc.nat(), size: fc.nat() }),
    );
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 6 }), (changes) => {
        const together = route.extract('acme/main', Buffer.from(JSON.stringify({ changes })));
        if (together.kind === 'unreadable') return;
        changes.forEach((change, ordinal) => {
          const alone = route.extract('acme/main', Buffer.from(JSON.stringify({ changes: [change] })));
          if (alone.kind === 'unreadable') throw new Error(alone.message);
          expect({ ...together.items[ordinal], ordinal: 0 }).toEqual(alone.items[0]);
        });
      }),
      { seed, numRuns: 300 },
    );
  });

  it('unreadable or items: never throws for bytes that are no JSON at all', () => {
    const route = routeOf();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(['items', 'unreadable']).toContain(route.extract('acme/main', Buffer.from(bytes)).kind);
      }),
      { seed, numRuns: 500 },
    );
  });
});
