import { jcs } from '@connector/kernel/jcs';
import { emptyRelease } from '@connector/testing/fixtures/app-release';
import type { LEGACY_MANIFEST } from '@connector/testing/fixtures/conversion';
import { CAPABILITY, crmDraft, legacyRecord, MAPPING, READER, UNMIGRATED } from '@connector/testing/fixtures/conversion';
import type { AppManifest } from '../manifest';
import { factFaults, ownerFaults } from './check-facts';
import { checkSource, type LegacySource } from './check-source';
import type { LegacyComponent } from './legacy-pack';
import { CRM_APP_ID, type FactKind, type LegacyMapping } from './mapping';

const draft = emptyRelease(CRM_APP_ID, 'io.nexuscrm');
crmDraft(draft);
const MANIFEST = draft.manifest as unknown as AppManifest;
const BASE = { fact: 'dependency', legacy: 'base', target: 'io.nexuscrm.base' } as const;
const DEPENDENCY = { alias: 'base', app_id: BASE.target } as AppManifest['dependencies'][number];

function sourceOf(
  manifest: Partial<typeof LEGACY_MANIFEST> = {},
  components: readonly LegacyComponent[] | undefined = undefined,
): LegacySource {
  const record = legacyRecord('org-1', manifest, components === undefined ? {} : { components });
  const hash = record.appliedPayloadHash;
  const checked = hash === null ? undefined : checkSource(record, { ...record, appliedPayloadHash: hash }, MAPPING);
  if (checked?.kind !== 'source') throw new RangeError('no source');
  return checked.source;
}
const facts = (source: LegacySource, mapping: Partial<LegacyMapping> = {}, manifest: Partial<AppManifest> = {}): readonly string[] =>
  factFaults(source, { ...MAPPING, ...mapping }, { ...MANIFEST, ...manifest }).map(({ code }) => code);
const without = (kind: FactKind) => ({ facts: MAPPING.facts.filter(({ fact }) => fact !== kind) });

describe('the facts of a converted pack', () => {
  it('none: each stands once in the manifest (cat:CONV-14)', () => {
    expect(facts(sourceOf())).toEqual([]);
    const mapping = { facts: [...MAPPING.facts, BASE] };
    expect(facts(sourceOf({ dependencies: ['base'] }), mapping, { dependencies: [DEPENDENCY] })).toEqual([]);
  });

  it('faulty: cat:CONV-14 a dependency, namespace, compatibility or capability that the manifest lacks, has by itself, or that nothing maps', () => {
    expect(facts(sourceOf({ dependencies: ['base'] }), { facts: [...MAPPING.facts, BASE] })).toEqual(['FACT_LOST']);
    expect(facts(sourceOf(), {}, { dependencies: [DEPENDENCY] })).toEqual(['FACT_ADDED']);
    expect(facts(sourceOf(), {}, { owned_namespaces: [] })).toEqual(['FACT_LOST']);
    expect(facts(sourceOf(), {}, { required_protocols: [] })).toEqual(['FACT_LOST']);
    expect(facts(sourceOf(), {}, { provided_capabilities: [] })).toEqual(['FACT_LOST']);
    for (const kind of ['namespace', 'compatibility', 'capability'] as const) {
      expect(facts(sourceOf(), without(kind))).toEqual(['FACT_UNMAPPED', 'FACT_ADDED']);
    }
  });

  it('faulty: cat:CONV-14 a second copy: one fact with two targets, two facts with one, the same twice in the manifest, and one inside a behavior', () => {
    const two = { fact: 'namespace', legacy: 'sfcrm_layouts', target: 'io.nexuscrm.sfcrm.more' } as const;
    expect(
      facts(sourceOf(), { facts: [...MAPPING.facts, two] }, { owned_namespaces: [...MANIFEST.owned_namespaces, two.target as never] }),
    ).toEqual(['FACT_UNMAPPED']);
    expect(facts(sourceOf({ namespaces: ['sfcrm_layouts', 'sfcrm_layouts'] }))).toEqual(['FACT_TWICE']);
    expect(facts(sourceOf(), {}, { owned_namespaces: [...MANIFEST.owned_namespaces, ...MANIFEST.owned_namespaces] })).toEqual([
      'FACT_LOST',
    ]);
    const bytes = jcs({ title: 'account', dependencies: ['base'] });
    expect(facts(sourceOf({}, [{ kind: 'layout', businessKey: 'account', bytes }]))).toEqual(['FACT_COPIED']);
  });

  it('faulty: cat:COEX-05 cat:COEX-02 a capability of two owners or of none, an owner without a name, and a reader of what is migrated', () => {
    const owners = (mapping: Partial<LegacyMapping>): readonly string[] =>
      ownerFaults({ ...MAPPING, ...mapping }, MANIFEST).map(({ code }) => code);
    expect(owners({})).toEqual([]);
    expect(owners({ capabilities: [{ capability_id: UNMIGRATED, owner: 'legacy' }] })).toEqual(['CAPABILITY_TWO_OWNERS']);
    expect(owners({ capabilities: [...MAPPING.capabilities, { capability_id: `${CRM_APP_ID}.x.v1`, owner: 'app' }] })).toEqual([
      'CAPABILITY_UNSERVED',
    ]);
    expect(owners({ capabilities: [...MAPPING.capabilities, { capability_id: `${CRM_APP_ID}.x.v1`, owner: 'retained' }] })).toEqual([
      'OWNER_UNNAMED',
    ]);
    expect(owners({ legacy_readers: [{ reader_id: READER, kind: 'known-pack', capability_id: CAPABILITY }] })).toEqual([
      'READER_OF_MIGRATED',
    ]);
  });
});
