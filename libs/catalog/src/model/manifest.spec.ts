import { jcs, type Json } from '@connector/kernel/jcs';
import { type Draft, exampleRelease, seal } from '@connector/testing/fixtures/app-release';
import { changed, faultsOf, told } from '@connector/testing/fixtures/release-faults';
import type { AppManifest } from './manifest';
import { checkRelease } from './release';

type Change = (manifest: Draft) => void;
const of = (change: Change) => changed((draft) => change(draft.manifest));
const at = (holder: Json | undefined, ...path: readonly (string | number)[]): Draft =>
  path.reduce<Draft>((node, name) => node[name] as Draft, holder as Draft);
const put =
  (path: readonly (string | number)[], value: Json): Change =>
  (manifest) => {
    at(manifest, ...path.slice(0, -1))[String(path.at(-1))] = value;
  };
const drop =
  (path: readonly (string | number)[]): Change =>
  (manifest) => {
    delete at(manifest, ...path.slice(0, -1))[String(path.at(-1))];
  };
const refused = (change: Change, ...expected: readonly string[]): void =>
  expect(told(of(change))).toEqual(expected.map((one) => one.replace(' ', ' manifest ')));

const PLACES = [
  [],
  ['dependencies', 0],
  ['required_protocols', 0],
  ['provided_capabilities', 1],
  ['frontend_compatibility', 'host_sdk'],
] as const;
const LISTS = ['dependencies', 'owned_namespaces', 'required_protocols', 'required_engine_capabilities', 'provided_capabilities'];

/** Exactly what the type has, what may be left out included: a twelfth does not compile, whatever it is (cat:REJ-07, cat:HAND-03). */
const ELEVEN: Readonly<Record<keyof AppManifest, true>> = {
  ...{ schema_version: true, app_id: true, publisher_id: true, semantic_version: true, metadata_bundle_digest: true },
  ...{ dependencies: true, owned_namespaces: true, required_protocols: true, required_engine_capabilities: true },
  ...{ provided_capabilities: true, frontend_compatibility: true },
};

describe('app manifest', () => {
  it('refused: one unknown member at each level (cat:MAN-01, cat:ATT-01)', () => {
    for (const place of PLACES) refused(put([...place, 'note'], 'x'), `MANIFEST_NOT_CLOSED ${['', ...place, 'note'].join('/')}`);
    refused(put(['frontend_compatibility', 'note'], 'x'), 'FRONTEND_SHAPE /frontend_compatibility/note');
  });

  it('refused: each of the eleven members missing or null (cat:MAN-01, cat:A-13)', () => {
    const names = Object.keys(exampleRelease().manifest);
    expect(names.sort()).toEqual(Object.keys(ELEVEN).sort());
    for (const name of names.filter((one) => one !== 'metadata_bundle_digest')) {
      expect(told(of(drop([name])))).toContain(`MANIFEST_NOT_CLOSED manifest /${name}`);
      expect(told(of(put([name], null)))).toContain(`MANIFEST_NOT_CLOSED manifest /${name}`);
    }
    const unsealed = exampleRelease().manifest;
    delete unsealed['metadata_bundle_digest'];
    expect(told({ ...seal(exampleRelease()), manifest: jcs(unsealed) })).toEqual(['MANIFEST_NOT_CLOSED manifest /metadata_bundle_digest']);
  });

  it('refused: the wrong kind of JSON, in every place (cat:MAN-01, cat:MAN-14)', () => {
    for (const list of LISTS) expect(told(of(put([list], 'x')))).toContain(`MANIFEST_NOT_CLOSED manifest /${list}`);
    for (const list of LISTS) expect(told(of(put([list], [null])))).toContain(`MANIFEST_NOT_CLOSED manifest /${list}/0`);
    refused(put(['required_engine_capabilities'], ['runtime.layout']), 'ID_NOT_CANONICAL /required_engine_capabilities/0');
    refused(put(['required_engine_capabilities'], [5]), 'ID_NOT_CANONICAL /required_engine_capabilities/0');
    expect(told({ ...seal(exampleRelease()), manifest: Buffer.from('[]') })).toContain('MANIFEST_NOT_CLOSED manifest ');
  });

  it('accepted: lists may be empty where no rule wants more (cat:A-13)', () => {
    const lists = ['required_protocols', 'required_engine_capabilities', 'provided_capabilities'];
    for (const list of lists) expect(checkRelease(of(put([list], []))).kind).toBe('release');
    const draft = exampleRelease();
    for (const list of ['dependencies', 'owned_namespaces']) draft.manifest[list] = [];
    draft.components.length = 0;
    expect(checkRelease(seal(draft)).kind).toBe('release');
  });

  it('refused: another schema version (cat:MAN-02)', () => {
    for (const word of ['nexuscrm.app-manifest/v2', 'nexuscrm.app-manifest/V1', '', 1])
      refused(put(['schema_version'], word), 'SCHEMA_VERSION /schema_version');
  });

  it('refused: a version that is not canonical (cat:MAN-03)', () => {
    for (const text of ['v1.0.0', '1.0', '01.0.0', '1.0.0+b', '1.0.0-01', 1])
      refused(put(['semantic_version'], text), 'SEMVER_NOT_CANONICAL /semantic_version');
    expect(checkRelease(of(put(['semantic_version'], '1.0.0-rc.1'))).kind).toBe('release');
  });

  it('refused: a bundle digest with one digit flipped (cat:MAN-05)', () => {
    const sealed = seal(exampleRelease());
    const text = sealed.manifest.toString('utf8');
    const found = /sha256:([0-9a-f]{64})/.exec(text)?.[1] ?? '';
    const flipped = found.slice(0, -1) + (found.endsWith('0') ? '1' : '0');
    expect(told({ ...sealed, manifest: Buffer.from(text.replace(found, flipped)) })).toEqual([
      'DIGEST_MISMATCH manifest /metadata_bundle_digest',
    ]);
    expect(told({ ...sealed, manifest: Buffer.from(text.replace(found, found.toUpperCase())) })).toEqual([
      'DIGEST_NOT_CANONICAL manifest /metadata_bundle_digest',
    ]);
  });

  it('refused: an alias twice, and a dependency on itself (cat:MAN-07, cat:MAN-27, cat:A-15)', () => {
    const twice: Change = (manifest) =>
      void (manifest['dependencies'] = [
        at(manifest, 'dependencies', 0),
        { ...at(manifest, 'dependencies', 0), app_id: 'io.nexuscrm.other' },
      ]);
    refused(twice, 'DUPLICATE /dependencies/1');
    refused(put(['dependencies', 0, 'app_id'], 'io.nexuscrm.sfcrm'), 'DEPENDENCY_CYCLE /dependencies/0/app_id');
  });

  it.each([
    ['1.2.0', '1.2.0'],
    ['2.0.0', '1.2.0'],
    ['1.2.0', '1.2.0-rc.1'],
    ['1.2.0-b', '1.2.0-a'],
  ])('refused: a range from %s to %s (cat:MAN-08)', (min, max) => {
    const range: Change = (manifest) => {
      put(['dependencies', 0, 'minimum_version_inclusive'], min)(manifest);
      put(['dependencies', 0, 'maximum_version_exclusive'], max)(manifest);
    };
    refused(range, 'RANGE_INVALID /dependencies/0/maximum_version_exclusive');
  });

  it('accepted: a range from a prerelease to its release (cat:MAN-08)', () => {
    const range: Change = (manifest) => {
      put(['dependencies', 0, 'minimum_version_inclusive'], '1.0.0-a')(manifest);
      put(['dependencies', 0, 'maximum_version_exclusive'], '1.0.0')(manifest);
    };
    expect(checkRelease(of(range)).kind).toBe('release');
  });

  it('refused: a bound that is no version, or has build metadata (cat:MAN-28)', () => {
    for (const bound of ['1', '1.0.0+b', '>=1.0.0', '*', 'v1.0.0']) {
      for (const name of ['minimum_version_inclusive', 'maximum_version_exclusive'])
        refused(put(['dependencies', 0, name], bound), `SEMVER_NOT_CANONICAL /dependencies/0/${name}`);
    }
  });

  it('refused: a major outside 1 to 2^32-1, a minor outside 0 to 2^32-1 (cat:MAN-13)', () => {
    const major = (value: Json) => put(['required_protocols', 0, 'major'], value);
    const minor = (value: Json) => put(['required_protocols', 0, 'minimum_minor'], value);
    for (const value of [0, 4_294_967_296, -1, 1.5, '1', true, 1e300]) refused(major(value), 'NUMBER_RANGE /required_protocols/0/major');
    for (const value of [4_294_967_296, -1, 0.5, '0']) refused(minor(value), 'NUMBER_RANGE /required_protocols/0/minimum_minor');
    for (const change of [major(1), major(4_294_967_295), minor(0), minor(4_294_967_295)])
      expect(checkRelease(of(change)).kind).toBe('release');
  });

  it('refused: a kind of capability that is not known, in any case (cat:MAN-17)', () => {
    for (const kind of ['Metadata', 'service', 'SERVICE-HANDLER', '', 1])
      refused(put(['provided_capabilities', 0, 'kind'], kind), 'KIND_UNKNOWN /provided_capabilities/0/kind');
  });

  it('refused: metadata with a handler or with needs (cat:MAN-18)', () => {
    const handler = (value: Json) => told(of(put(['provided_capabilities', 0, 'handler_ref'], value)));
    for (const value of ['io.nexuscrm.sfcrm.handler.x.v1', '', null])
      expect(handler(value)).toContain('CAPABILITY_SHAPE manifest /provided_capabilities/0/handler_ref');
    refused(
      put(['provided_capabilities', 0, 'required_runtime_capabilities'], ['runtime.x.v1']),
      'CAPABILITY_SHAPE /provided_capabilities/0/required_runtime_capabilities',
    );
  });

  it('refused: a service handler without a handler or without needs (cat:MAN-19)', () => {
    const handler = '/provided_capabilities/1/handler_ref';
    refused(drop(['provided_capabilities', 1, 'handler_ref']), `CAPABILITY_SHAPE ${handler}`);
    for (const value of ['', null])
      expect(told(of(put(['provided_capabilities', 1, 'handler_ref'], value)))).toContain(`CAPABILITY_SHAPE manifest ${handler}`);
    refused(
      put(['provided_capabilities', 1, 'required_runtime_capabilities'], []),
      'CAPABILITY_SHAPE /provided_capabilities/1/required_runtime_capabilities',
    );
  });

  it('refused: one handler for two capabilities (cat:A-22)', () => {
    const twice: Change = (manifest) => {
      const list = manifest['provided_capabilities'] as Json[];
      list.push({ ...at(manifest, 'provided_capabilities', 1), capability_id: 'io.nexuscrm.sfcrm.ui.zzz.v1' });
    };
    refused(twice, 'DUPLICATE /provided_capabilities/2/handler_ref');
  });

  it('refused: a frontend that is neither of the two shapes (cat:MAN-20, cat:MAN-21)', () => {
    const sdk = { protocol_id: 'nexuscrm.host-sdk', major: 1, minimum_minor: 0 };
    const whole = { mode: 'required', host_sdk: sdk, contribution_schema: sdk };
    const bad: readonly Draft[] = [
      { mode: 'none', host_sdk: sdk },
      { mode: 'required', host_sdk: sdk },
      { mode: 'required', contribution_schema: sdk },
      { ...whole, mode: 'optional' },
      { ...whole, artifact_digest: `sha256:${'0'.repeat(64)}` },
      { host_sdk: sdk, contribution_schema: sdk },
    ];
    for (const one of bad) expect(faultsOf(of(put(['frontend_compatibility'], one))).map(({ code }) => code)).toEqual(['FRONTEND_SHAPE']);
    for (const one of [whole, { mode: 'none' }]) expect(checkRelease(of(put(['frontend_compatibility'], one))).kind).toBe('release');
    const [other] = faultsOf(of(put(['frontend_compatibility'], { ...whole, mode: 'optional' })));
    expect(other).toMatchObject({ expected: 'none or required', found: '"optional"' });
    expect(told(of(put(['frontend_compatibility'], 'none')))).toEqual(['FRONTEND_SHAPE manifest /frontend_compatibility']);
  });

  const second: Readonly<Record<string, Json>> = {
    dependencies: {
      alias: 'zeta',
      app_id: 'io.nexuscrm.zeta',
      minimum_version_inclusive: '1.0.0',
      maximum_version_exclusive: '2.0.0',
      required_capabilities: [],
    },
    owned_namespaces: 'io.nexuscrm.sfcrm.zeta',
    required_protocols: { protocol_id: 'nexuscrm.zeta', major: 1, minimum_minor: 0 },
    required_engine_capabilities: 'runtime.zeta.v1',
    provided_capabilities: { capability_id: 'io.nexuscrm.sfcrm.zeta.v1', kind: 'metadata', required_runtime_capabilities: [] },
  };
  const add =
    (list: string, order: (items: readonly Json[]) => readonly Json[]): Change =>
    (manifest) => {
      manifest[list] = order([...(manifest[list] as readonly Json[]), second[list] ?? null]);
    };
  it.each(LISTS)(
    'refused: %s out of order or with one item twice, and never put in order (cat:MAN-10, cat:MAN-22, cat:MAN-26, cat:MAN-29, cat:DIG-02)',
    (list) => {
      expect(checkRelease(of(add(list, (items) => items))).kind).toBe('release');
      const shuffled = told(of(add(list, (items) => [items.at(-1) ?? null, ...items.slice(0, -1)])));
      expect(shuffled).toEqual([`SET_NOT_CANONICAL manifest /${list}/1`]);
      const twice = told(of(add(list, (items) => [...items, items.at(-1) ?? null])));
      expect(twice).toContainEqual(expect.stringMatching(new RegExp(`^DUPLICATE manifest /${list}/`)));
    },
  );

  it.each([[['dependencies', 0, 'required_capabilities']], [['provided_capabilities', 1, 'required_runtime_capabilities']]] as const)(
    'refused: the nested set %j out of order or with one item twice (cat:MAN-23, cat:MAN-29)',
    (path) => {
      expect(checkRelease(of(put(path, ['a.b.v1', 'a.c.v1']))).kind).toBe('release');
      refused(put(path, ['a.c.v1', 'a.b.v1']), `SET_NOT_CANONICAL /${path.join('/')}/1`);
      refused(put(path, ['a.b.v1', 'a.b.v1']), `DUPLICATE /${path.join('/')}/1`);
    },
  );

  it('refused: the seven things that belong to other planes (cat:MAN-25, cat:DIG-15, cat:MAN-31)', () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const foreign = [
      'app_release_digest',
      'service_release_digest',
      'frontend_release_digest',
      'endpoint_url',
      'app_installation_id',
      'catalog_revision',
      'l2_revision',
    ];
    for (const name of foreign) refused(put([name], digest), `MANIFEST_NOT_CLOSED /${name}`);
  });

  it('refused: where a handler runs, as whom, from which release and under which route (cat:BIND-01)', () => {
    for (const name of ['workload_id', 'service_release_digest', 'endpoint', 'route_epoch', 'ownership_epoch'])
      refused(put(['provided_capabilities', '1', name], 'x'), `MANIFEST_NOT_CLOSED /provided_capabilities/1/${name}`);
  });

  it('refused: the example in the order in which it is printed (cat:MAN-24, cat:A-24)', () => {
    const sealed = seal(exampleRelease());
    const printed = Buffer.from(
      JSON.stringify({ schema_version: 'nexuscrm.app-manifest/v1', ...JSON.parse(sealed.manifest.toString('utf8')) }),
    );
    expect(told({ ...sealed, manifest: printed })).toEqual(['JSON_NOT_CANONICAL manifest ']);
  });

  it.each([
    ['a byte order mark', (text: string) => `\ufeff${text}`],
    ['a final newline', (text: string) => `${text}\n`],
    ['a blank', (text: string) => text.replace(':', ': ')],
    ['a fraction of an integer', (text: string) => text.replace('"major":1', '"major":1.0')],
    ['an exponent', (text: string) => text.replace('"major":1', '"major":1e0')],
    ['a longer escape', (text: string) => text.replace('"1.0.0"', '"1.0.\\u0030"')],
    ['a member twice', (text: string) => text.replace('{', '{"app_id":"io.nexuscrm.sfcrm",')],
    ['half a surrogate pair', (text: string) => text.replace('"1.0.0"', '"\\ud800"')],
    ['a comma at the end', (text: string) => text.replace(/\}$/, ',}')],
  ])('refused: %s (cat:A-24)', (_name, change) => {
    const sealed = seal(exampleRelease());
    const manifest = Buffer.from(change(sealed.manifest.toString('utf8')), 'utf8');
    expect(manifest.equals(sealed.manifest)).toBe(false);
    expect(told({ ...sealed, manifest })).toContain('JSON_NOT_CANONICAL manifest ');
  });

  it('every fault at once, each with its place, its rule, what was expected and what was found', () => {
    const all: Change = (manifest) => {
      put(['app_id'], 'i\u043e.Nexuscrm')(manifest);
      put(['semantic_version'], 'v1')(manifest);
      put(['required_protocols', 0, 'major'], 0)(manifest);
      put(['extensions'], {})(manifest);
    };
    const faults = faultsOf(of(all));
    expect(faults.map(({ pointer, code, rule }) => `${pointer} ${code} ${rule}`).sort()).toEqual([
      '/app_id ID_NOT_CANONICAL ID-07',
      '/extensions MANIFEST_NOT_CLOSED MAN-01',
      '/required_protocols/0/major NUMBER_RANGE MAN-13',
      '/semantic_version SEMVER_NOT_CANONICAL MAN-03',
    ]);
    expect(faults.find(({ pointer }) => pointer === '/app_id')?.found).toBe('"i\\u043e.Nexuscrm"');
  });

  it('the first hundred faults and a count of the others', () => {
    const many = Array.from({ length: 250 }, (_, index) => `bad ${index}`);
    const answer = checkRelease(of(put(['required_engine_capabilities'], many)));
    if (answer.kind === 'release') throw new Error('accepted');
    expect(answer.faults).toHaveLength(100);
    // Every text is no name, and in bytewise order 10 belongs before 2.
    const order = many.filter((text, index) => index > 0 && text < (many[index - 1] ?? ''));
    expect(answer.more).toBe(250 + order.length - 100);
  });
});
