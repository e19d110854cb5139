import { readPack } from '@connector/packs/authoring/pack-source';
import { checkPack } from '@connector/packs/engine/publish-check';
import { compileRoute, type Extraction, type Route } from '@connector/packs/engine/route';

const SOURCE = readPack(__dirname);

function fail(what: string): never {
  throw new Error(what);
}
function route(): Route {
  const check = checkPack(SOURCE);
  if (!check.ok) return fail(JSON.stringify(check.faults));
  const definition = (kind: string): (typeof check.definitions)[number] =>
    check.definitions.find((found) => found.kind === kind) ?? fail(kind);
  const compiled = compileRoute(definition('inbound-route').definition, definition('field-mapping').definition);
  return compiled.kind === 'route' ? compiled : fail(compiled.message);
}
function extracted(name: string): Extraction {
  const { body, facts } = SOURCE.deliveries.find((found) => found.name === name) ?? fail(name);
  return route().extract('github/acme', body, facts);
}
/** The one item of a delivery, as people read it: NUL as `|`, and of the payload only whether it is the body. */
function shown(name: string): unknown {
  const extraction = extracted(name);
  if (extraction.kind === 'unreadable') return [extraction.code];
  const [item, ...others] = extraction.items;
  if (item === undefined || others.length > 0) return fail('not one item');
  if (item.kind === 'refused') return [item.code, item.message];
  const { payload, ...input } = JSON.parse(item.input.toString()) as Record<string, unknown>;
  expect(payload).toEqual(JSON.parse(item.bytes.toString()));
  return [item.eventKind, item.sourceEventKey.toString().replaceAll('\0', '|'), input];
}

describe('github', () => {
  it('ok: the pack may be published', () => {
    expect(checkPack(SOURCE)).toMatchObject({ ok: true, ownerPack: 'dev.example.github' });
    expect(route()).toMatchObject({
      transportKeyHeader: 'x-github-delivery',
      verificationSchemes: ['github-sha256'],
      headers: ['x-github-event'],
      eventKind: 'code-host.notified',
    });
    expect(route().orderingContract.toString()).toContain('"kind":"order_independent"');
    expect(new Set(SOURCE.deliveries.map((delivery) => delivery.route))).toEqual(new Set(['delivery/any']));
  });

  it('items: a delivery is one event under its delivery id, with its name and action', () => {
    const [ping, star, push] = [
      '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      '8f5f7b32-0d2c-11ef-9d3d-1f0c2a1e6a10',
      '9a1d6c1e-0d2c-11ef-8b54-5a7f2f4a9d11',
    ];
    expect(shown('ping')).toEqual(['code-host.notified', `delivery|${ping}`, { delivery: ping, event: 'ping', action: null }]);
    expect(shown('star-created')).toEqual(['code-host.notified', `delivery|${star}`, { delivery: star, event: 'star', action: 'created' }]);
    expect(shown('push')).toEqual(['code-host.notified', `delivery|${push}`, { delivery: push, event: 'push', action: null }]);
  });

  it('items: a kind that nobody knows is the same event under its own name', () => {
    const delivery = 'a4c0b2e0-0d2c-11ef-8b54-5a7f2f4a9d12';
    expect(shown('kind-of-tomorrow')).toEqual([
      'code-host.notified',
      `delivery|${delivery}`,
      { delivery, event: 'hologram_reaction', action: ['not', 'a', 'text'] },
    ]);
  });

  it('refused: a delivery without its event name, and a form, each by name', () => {
    expect(shown('no-event-header')).toEqual(['member-missing', "fields/event: a member is missing: delivery.headers['x-github-event']"]);
    expect(shown('form-encoded')).toEqual(['body-not-json']);
  });
});
