import { checkPack } from '@connector/packs/engine/publish-check';
import { readPack } from '@connector/packs/authoring/pack-source';
import { compileRoute, type Extraction, type Route } from '@connector/packs/engine/route';

const SOURCE = readPack(__dirname);

function route(): Route {
  const check = checkPack(SOURCE);
  if (!check.ok) throw new Error(JSON.stringify(check.faults));
  const definition = (kind: string): (typeof check.definitions)[number] =>
    check.definitions.filter((found) => found.kind === kind)[0] ?? fail(kind);
  const compiled = compileRoute(definition('inbound-route').definition, definition('field-mapping').definition);
  return compiled.kind === 'route' ? compiled : fail(compiled.message);
}
function fail(what: string): never {
  throw new Error(what);
}
function extracted(name: string): Extraction {
  const delivery = SOURCE.deliveries.find((found) => found.name === name) ?? fail(name);
  return route().extract('acme/crm', delivery.body);
}
/** Bytes as people read them: NUL as `|`. */
function shown(extraction: Extraction): unknown {
  if (extraction.kind === 'unreadable') return extraction;
  return extraction.items.map((item) =>
    item.kind === 'refused'
      ? [item.ordinal, item.code, item.message]
      : [
          item.ordinal,
          item.sourceEventKey.toString().replaceAll('\0', '|'),
          item.partition.toString().replaceAll('\0', '|'),
          item.input.toString(),
        ],
  );
}

describe('larkspur-crm', () => {
  it('ok: the pack may be published', () => {
    expect(checkPack(SOURCE)).toMatchObject({ ok: true, ownerPack: 'dev.example.larkspur-crm' });
    expect(route()).toMatchObject({
      transportKeyHeader: 'webhook-id',
      verificationSchemes: ['standard-webhooks'],
      eventKind: 'contact.updated',
    });
    expect(route().orderingContract.toString()).toContain('"kind":"strict_source_sequence"');
    const contact = extracted('one-contact');
    const order = { position: { kind: 'u64', value: 1n }, tieBreaker: null };
    expect(contact).toMatchObject({ items: [{ order }] });
  });

  it('fixtures: each names a route of the pack', () => {
    expect(SOURCE.deliveries.map((delivery) => delivery.name)).toEqual([
      'no-changes',
      'one-bad-among-neighbours',
      'one-contact',
      'one-fails-among-neighbours',
      'second-change',
      'third-change',
      'three-contacts',
      'unreadable-body',
    ]);
    expect(new Set(SOURCE.deliveries.map((delivery) => delivery.route))).toEqual(new Set(['contact/upsert']));
  });

  it('items: one contact', () => {
    const input = '{"email":"ada@example.test","externalId":"rec-1001","name":"Ada Example","seq":1}';
    expect(shown(extracted('one-contact'))).toEqual([[0, 'contact|rec-1001|1', 'contact|rec-1001', input]]);
  });

  it('items: one-contact, second-change and third-change are three positions of one record', () => {
    const places = ['one-contact', 'second-change', 'third-change'].map((name) => shown(extracted(name)));
    expect(places).toEqual([1, 2, 3].map((seq) => [[0, `contact|rec-1001|${seq}`, 'contact|rec-1001', expect.any(String)]]));
  });

  it('items: three changes, two of one contact, in the order of the body', () => {
    expect(shown(extracted('three-contacts'))).toEqual([
      [
        0,
        'contact|rec-2001|2',
        'contact|rec-2001',
        '{"email":"grace.new@example.test","externalId":"rec-2001","name":"Grace Example","seq":2}',
      ],
      [
        1,
        'contact|rec-2001|1',
        'contact|rec-2001',
        '{"email":"grace@example.test","externalId":"rec-2001","name":"Grace Example","seq":1}',
      ],
      [2, 'contact|rec-2002|1', 'contact|rec-2002', '{"email":null,"externalId":"rec-2002","name":"Edsger Example","seq":1}'],
    ]);
  });

  it('items: bad ones are refused by name and their neighbours go on', () => {
    expect(shown(extracted('one-bad-among-neighbours'))).toEqual([
      [
        0,
        'contact|rec-3001|1',
        'contact|rec-3001',
        '{"email":"barbara@example.test","externalId":"rec-3001","name":"Barbara Example","seq":1}',
      ],
      [1, 'member-missing', 'source_event_key/1: a member is missing: item.recordId'],
      [2, 'refused-by-pack', 'seq counts from 1'],
      [
        3,
        'contact|rec-3003|1',
        'contact|rec-3003',
        '{"email":"donald@example.test","externalId":"rec-3003","name":"Donald Example","seq":1}',
      ],
    ]);
  });

  it('unreadable: a body that is cut off, and one of another shape', () => {
    expect(shown(extracted('unreadable-body'))).toMatchObject({ kind: 'unreadable', code: 'body-not-json' });
    expect(shown(extracted('no-changes'))).toEqual({
      kind: 'unreadable',
      code: 'items-unreadable',
      message: 'items: a member is missing: body.changes',
    });
  });

  it('too-many-items: 51 changes are more than this application sends', () => {
    const changes = Array.from({ length: 51 }, (_, at) => ({ recordId: `r${at}`, seq: 1, email: null, name: 'n' }));
    expect(route().extract('acme/crm', Buffer.from(JSON.stringify({ changes })))).toMatchObject({
      kind: 'unreadable',
      code: 'too-many-items',
    });
  });
});
