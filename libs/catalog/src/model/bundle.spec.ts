import { jcs, type Json } from '@connector/kernel/jcs';
import { viewVectors } from '@connector/testing/vectors/load';
import { type Draft, exampleRelease, layout, type ReleaseDraft, restamp, seal } from '@connector/testing/fixtures/app-release';
import { changed, component, faultsOf, told } from '@connector/testing/fixtures/release-faults';
import { componentId } from './release-digests';
import { checkRelease } from './release';

const of = (index: number, member: string, value: Json) => changed((draft) => void (component(draft, index)[member] = value));
const codes = (input: Parameters<typeof faultsOf>[0]): readonly string[] => faultsOf(input).map(({ code }) => code);
const NAMESPACE = 'io.nexuscrm.sfcrm.layouts';

/** A component with this key in place of layout B, and everything that follows from its ID. */
function withKey(key: string): ReleaseDraft {
  const draft = exampleRelease();
  const made = layout(NAMESPACE, key);
  draft.components.splice(1, 1, made.descriptor);
  draft.behaviors.set(String(made.descriptor['component_id']), made.behavior);
  component(draft, 0)['local_dependencies'] = [];
  return inOrder(draft);
}

function inOrder(draft: ReleaseDraft): ReleaseDraft {
  draft.components.sort((left, right) => (String(left['component_id']) < String(right['component_id']) ? -1 : 1));
  return draft;
}

/** The example and these layouts, each with what it depends on by name. */
function graph(edges: Readonly<Record<string, readonly string[]>>): ReleaseDraft {
  const draft = exampleRelease();
  const idOf = (key: string): string => componentId(NAMESPACE, 'io.nexuscrm.record-layout.v1', key);
  for (const [key, targets] of Object.entries(edges)) {
    const made = layout(NAMESPACE, key, targets.map(idOf));
    draft.components.push(made.descriptor);
    draft.behaviors.set(idOf(key), made.behavior);
  }
  return inOrder(draft);
}

describe('metadata bundle', () => {
  it('refused: one unknown and one missing member at each level (cat:BUN-01, cat:BUN-02, cat:BUN-20)', () => {
    const levels = [
      ['/components/0', (draft: ReleaseDraft) => component(draft, 0)],
      [
        '/components/0/external_component_refs/0',
        (draft: ReleaseDraft) => (component(draft, 0)['external_component_refs'] as Draft[])[0] as Draft,
      ],
    ] as const;
    for (const [at, node] of levels) {
      for (const name of Object.keys(node(exampleRelease()))) {
        expect(told(changed((draft) => delete node(draft)[name]))).toContain(`BUNDLE_NOT_CLOSED bundle ${at}/${name}`);
        expect(told(changed((draft) => void (node(draft)[name] = null)))).toContain(`BUNDLE_NOT_CLOSED bundle ${at}/${name}`);
      }
      expect(told(changed((draft) => void (node(draft)['owner_app_id'] = 'io.nexuscrm.sfcrm')))).toContain(
        `BUNDLE_NOT_CLOSED bundle ${at}/owner_app_id`,
      );
    }
    const draft = exampleRelease();
    expect(told(seal(draft, { components: draft.components }))).toEqual(['BUNDLE_NOT_CLOSED bundle /schema_version']);
    expect(told(seal(draft, { schema_version: 'nexuscrm.metadata-bundle/v1' }))).toEqual(['BUNDLE_NOT_CLOSED bundle /components']);
    expect(told(seal(draft, { schema_version: 'nexuscrm.metadata-bundle/v2', components: draft.components }))).toEqual([
      'SCHEMA_VERSION bundle /schema_version',
    ]);
    expect(codes(seal(draft, []))).toEqual(['BUNDLE_NOT_CLOSED']);
  });

  it('refused: what the manifest states, stated again (cat:BUN-16, cat:FAIL-03)', () => {
    const draft = exampleRelease();
    const names = [
      'app_id',
      'publisher_id',
      'semantic_version',
      'dependencies',
      'owned_namespaces',
      'required_protocols',
      'required_engine_capabilities',
      'provided_capabilities',
    ];
    for (const name of names) {
      const bundle = { schema_version: 'nexuscrm.metadata-bundle/v1', components: draft.components, [name]: draft.manifest[name] ?? null };
      expect(told(seal(draft, bundle))).toEqual([`BUNDLE_NOT_CLOSED bundle /${name}`]);
    }
  });

  it('refused: a component ID that is not derived from namespace, kind and key (cat:BUN-03)', () => {
    expect(codes(of(0, 'component_id', `sha256:${'1'.repeat(64)}`))).toContain('COMPONENT_ID_MISMATCH');
    expect(codes(of(1, 'business_key', 'konto/anders'))).toEqual(['COMPONENT_ID_MISMATCH']);
  });

  it('release: the same component under another content and definition version keeps its ID (cat:BUN-04)', () => {
    const input = changed((draft) => {
      const one = component(draft, 1);
      one['definition_version'] = '4-beta.1_x';
      draft.behaviors.set(String(one['component_id']), jcs({ other: true }));
      restamp(draft, one);
    });
    expect(checkRelease(input).kind).toBe('release');
  });

  it.each([
    ['a NUL', 'a\0b'],
    ['a tab', 'a\tb'],
    ['U+0085', 'a\u0085b'],
    ['DEL', 'a\u007fb'],
    ['a blank in front', ' a'],
    ['U+2003 behind', 'a\u2003'],
    ['U+00A0 in front', '\u00a0a'],
    ['U+2028 behind', 'a\u2028'],
    ['a decomposed letter', 'u\u0308'],
    ['a compatibility ideograph', '\uf900'],
    ['an address', 'https://a.test/b'],
    ['nothing', ''],
    ['513 bytes', 'a'.repeat(513)],
    ['514 bytes in 257 letters', '\u00fc'.repeat(257)],
  ])('refused: a business key with %s (cat:BUN-05, cat:A-11, cat:BIND-17)', (_name, key) => {
    expect(told(seal(withKey(key)))).toContainEqual(expect.stringMatching(/^BUSINESS_KEY bundle \/components\/\d\/business_key$/));
  });

  it.each(['a', 'a b', '\ufeffa', '\u00fcber/sicht', '\u{1f600}', 'a\u200db', 'a'.repeat(512), '\u00fc'.repeat(256)])(
    'release: the business key %j (cat:BUN-05, cat:A-11)',
    (key) => {
      expect(checkRelease(seal(withKey(key))).kind).toBe('release');
    },
  );

  it('refused: bytes that are not UTF-8, wherever they stand (cat:BUN-05)', () => {
    const sealed = seal(exampleRelease());
    const bundle = Buffer.from(sealed.bundle);
    bundle[bundle.indexOf('account/detail')] = 0xff;
    expect(told({ ...sealed, bundle })).toEqual(['JSON_NOT_CANONICAL bundle ']);
  });

  it('refused: a policy that is not one of two (cat:BUN-06, cat:BUN-08)', () => {
    for (const word of ['merge', 'Replace', '', 1])
      expect(told(of(0, 'override_policy', word))).toEqual(['POLICY_UNKNOWN bundle /components/0/override_policy']);
    for (const word of ['always', 'remove', ''])
      expect(told(of(0, 'removal_policy', word))).toEqual(['POLICY_UNKNOWN bundle /components/0/removal_policy']);
    for (const word of ['replace', 'preserve-authorized-overrides'])
      expect(checkRelease(of(0, 'override_policy', word)).kind).toBe('release');
    for (const word of ['remove-if-unreferenced', 'block-if-referenced-or-overridden'])
      expect(checkRelease(of(0, 'removal_policy', word)).kind).toBe('release');
  });

  it('refused: a format version outside 1 to 2^32-1, and one that the kind does not know (cat:BUN-10, cat:A-06)', () => {
    for (const value of [0, 4_294_967_296, '1', 1.5, -1])
      expect(told(of(0, 'component_format_version', value))).toEqual(['NUMBER_RANGE bundle /components/0/component_format_version']);
    for (const value of [2, 4_294_967_295]) {
      const input = changed((draft) => {
        component(draft, 0)['component_format_version'] = value;
        restamp(draft, component(draft, 0));
      });
      expect(told(input)).toEqual(['KIND_UNKNOWN bundle /components/0/component_format_version']);
    }
  });

  it('refused: 1.0 for a format version (cat:BUN-10)', () => {
    const sealed = seal(exampleRelease());
    const bundle = Buffer.from(sealed.bundle.toString('utf8').replace('"component_format_version":1,', '"component_format_version":1.0,'));
    expect(told({ ...sealed, bundle })).toEqual(['JSON_NOT_CANONICAL bundle ']);
  });

  it('refused: a definition version that is no label (cat:A-09)', () => {
    for (const value of ['', '-1', '.1', 'a b', 'a'.repeat(65), '\u00fc', 1])
      expect(told(of(0, 'definition_version', value))).toEqual(['DEFINITION_VERSION bundle /components/0/definition_version']);
    for (const value of ['0', 'a', '01', 'A.b_c-d', 'a'.repeat(64)])
      expect(checkRelease(of(0, 'definition_version', value)).kind).toBe('release');
  });

  it('refused: components out of order or twice (cat:BUN-11, cat:BUN-14)', () => {
    expect(told(changed((draft) => void draft.components.reverse()))).toEqual([
      'SET_NOT_CANONICAL bundle /components/1',
      'SET_NOT_CANONICAL bundle /components/2',
    ]);
    expect(told(changed((draft) => void draft.components.splice(1, 0, component(draft, 0))))).toEqual(['DUPLICATE bundle /components/1']);
  });

  it('refused: local dependencies out of order or twice (cat:BUN-12, cat:BUN-14)', () => {
    const draft = graph({ p: [], q: [], r: ['p', 'q'] });
    expect(checkRelease(seal(draft)).kind).toBe('release');
    const index = draft.components.findIndex((one) => one['business_key'] === 'r');
    const [first, second] = component(draft, index)['local_dependencies'] as [string, string];
    component(draft, index)['local_dependencies'] = [second, first];
    expect(told(seal(draft))).toEqual([`SET_NOT_CANONICAL bundle /components/${index}/local_dependencies/1`]);
    component(draft, index)['local_dependencies'] = [first, first];
    expect(told(seal(draft))).toEqual([`DUPLICATE bundle /components/${index}/local_dependencies/1`]);
  });

  it('refused: external references in the order of the glued text, or twice (cat:BUN-13, cat:BUN-14, cat:A-10)', () => {
    const { canonical, literal_concatenation_would_give: glued } = viewVectors.external_ref_order;
    const aliases = [...new Set(canonical.map((ref) => String(ref['dependency_alias'])))].sort();
    const refs = (list: readonly Json[]) =>
      changed((draft) => {
        const [dependency] = draft.manifest['dependencies'] as Draft[];
        draft.manifest['dependencies'] = aliases.map((alias, index) => ({ ...dependency, alias, app_id: `io.nexuscrm.dep-${index}` }));
        component(draft, 0)['external_component_refs'] = list;
      });
    expect(checkRelease(refs([...canonical])).kind).toBe('release');
    expect(codes(refs([...glued]))).toContain('SET_NOT_CANONICAL');
    expect(told(refs([canonical[0] ?? null, ...canonical]))).toEqual(['DUPLICATE bundle /components/0/external_component_refs/1']);
  });

  it('refused: a behavior that nobody uploaded, was altered, or is written into the index (cat:BUN-15, cat:DIG-06)', () => {
    const sealed = seal(exampleRelease());
    expect(told({ ...sealed, blobOf: () => undefined })).toEqual(
      [0, 1, 2].map((index) => `BLOB_MISSING bundle /components/${index}/content_digest`),
    );
    const altered = told({ ...sealed, blobOf: (digest) => Buffer.concat([sealed.blobOf(digest) ?? Buffer.alloc(0), Buffer.from(' ')]) });
    expect(altered).toEqual([0, 1, 2].map((index) => `DIGEST_MISMATCH bundle /components/${index}/content_digest`));
    for (const name of ['content', 'body', 'behavior'])
      expect(told(of(0, name, {}))).toEqual([`BUNDLE_NOT_CLOSED bundle /components/0/${name}`]);
  });

  it('refused: a dependency on itself, on a stranger, and on a way back (cat:BUN-17, cat:A-15)', () => {
    const own = String(component(exampleRelease(), 1)['component_id']);
    expect(told(of(1, 'local_dependencies', [own]))).toEqual(['LOCAL_REF bundle /components/1/local_dependencies/0']);
    expect(told(of(1, 'local_dependencies', [`sha256:${'0'.repeat(64)}`]))).toEqual([
      'LOCAL_REF bundle /components/1/local_dependencies/0',
    ]);
    for (const cycle of [
      { p: ['q'], q: ['p'] },
      { p: ['q'], q: ['r'], r: ['s'], s: ['q'], t: ['p'] },
    ]) {
      expect(codes(seal(graph(cycle)))).toEqual(['DEPENDENCY_CYCLE']);
    }
    expect(codes(seal(graph({ p: ['q'], q: ['p'], r: ['s'], s: ['r'] })))).toEqual(['DEPENDENCY_CYCLE', 'DEPENDENCY_CYCLE']);
    expect(checkRelease(seal(graph({ p: ['q', 'r'], q: ['s'], r: ['s'], s: [] }))).kind).toBe('release');
  });

  it('refused: an alias that the manifest does not declare, an AppID or a version in a reference (cat:BUN-18)', () => {
    const ref = (change: Draft) =>
      changed((draft) => {
        const one = component(draft, 0);
        one['external_component_refs'] = [{ ...((one['external_component_refs'] as Draft[])[0] as Draft), ...change }];
      });
    const at = '/components/0/external_component_refs/0';
    expect(told(ref({ dependency_alias: 'other' }))).toEqual([`EXTERNAL_ALIAS bundle ${at}/dependency_alias`]);
    for (const name of ['app_id', 'version', 'minimum_version_inclusive'])
      expect(told(ref({ [name]: '1.0.0' }))).toEqual([`BUNDLE_NOT_CLOSED bundle ${at}/${name}`]);
  });

  it('refused: a namespace that the manifest does not own, below an owned one too; there is no extension point (cat:BUN-19, cat:A-14, cat:A-13)', () => {
    for (const owned of [[], ['io.nexuscrm.sfcrm'], ['io.nexuscrm.sfcrm.layouts.deep', 'io.nexuscrm.sfcrm.slots']]) {
      expect(told(changed((draft) => void (draft.manifest['owned_namespaces'] = owned)))).toContain(
        'NAMESPACE_NOT_OWNED bundle /components/0/namespace_id',
      );
    }
  });

  it('refused: a kind that is not registered, whatever its bytes (cat:DIG-04, cat:A-45)', () => {
    const input = changed((draft) => {
      const one = component(draft, 1);
      const kind = 'io.nexuscrm.unregistered.v1';
      one['component_kind'] = kind;
      one['component_id'] = componentId(String(one['namespace_id']), kind, String(one['business_key']));
      draft.behaviors.set(String(one['component_id']), Buffer.from('{}'));
      restamp(draft, one);
      component(draft, 0)['local_dependencies'] = [];
      inOrder(draft);
    });
    expect(codes(input)).toEqual(['KIND_UNKNOWN']);
  });

  it.each([
    ['a list', Buffer.from('[]')],
    ['blanks', Buffer.from('{ }')],
    ['nothing', Buffer.alloc(0)],
    ['bytes', Buffer.from([0xff])],
    ['an open object', Buffer.from('{')],
  ])('refused: a layout whose behavior is %s, though its digest is right (cat:DIG-04)', (_name, bytes) => {
    const input = changed((draft) => {
      draft.behaviors.set(String(component(draft, 1)['component_id']), bytes);
      restamp(draft, component(draft, 1));
    });
    expect(told(input)).toEqual(['JSON_NOT_CANONICAL behavior ']);
    expect(faultsOf(input)[0]).toMatchObject({ document: 'behavior', component: component(exampleRelease(), 1)['component_id'] });
  });

  it('a broken manifest does not make its bundle guilty: what cannot be read there is not asked', () => {
    expect(codes(changed((draft) => void (draft.manifest['owned_namespaces'] = 'x')))).toEqual(['MANIFEST_NOT_CLOSED']);
    expect(told({ ...seal(exampleRelease()), manifest: Buffer.from('{') })).toEqual(['JSON_NOT_CANONICAL manifest ']);
  });
});
