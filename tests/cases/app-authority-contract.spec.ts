import { bindingMachine } from '@connector/catalog/model/installation/binding';
import { installationMachine, LIVE_STATES } from '@connector/catalog/model/installation/installation';
import {
  appReleaseDigest,
  componentDigest,
  componentId,
  metadataBundleDigest,
  slotRevisionDigest,
} from '@connector/catalog/model/release-digests';
import { checkRelease } from '@connector/catalog/model/release';
import { documentDigest } from '@connector/kernel/document';
import { jcs } from '@connector/kernel/jcs';
import { catalogBarrierReceipt, packsBarrierReceipt } from '@connector/kernel/publication-barrier';
import { exampleRelease, seal } from '@connector/testing/fixtures/app-release';
import { begunEarly, type MappedFact, mapFaults, type Phase } from '../tidy/checks/authority-map';
import { model } from '../tidy/model';
import { documentAt, isProduction, planted, repository } from '../tidy/repo';

/** The machine-readable companion of the App authority contract, as an author reads it; the code is compared with it and never the other way. */
interface Companion {
  readonly evidence: { readonly revision: string };
  readonly constants: Readonly<Record<string, string>>;
  readonly legacy_facts: readonly { readonly fact: string; readonly owner: string }[];
  readonly facts: readonly (MappedFact & { readonly id: string; readonly authority: string })[];
  readonly facts_beside: readonly MappedFact[];
  readonly phases: Readonly<Record<string, Phase>>;
  readonly separators: Readonly<Record<string, string>>;
  readonly installation: Machine & { readonly live: readonly string[] };
  readonly handler_binding: Machine;
}
interface Machine {
  readonly states: readonly string[];
  readonly moves: readonly (readonly [string, string])[];
}
const companion = documentAt<Companion>('docs/app-authority-contract.json');

const pairs = (moves: Readonly<Record<string, readonly (readonly [string, string])[]>>): readonly string[] =>
  [...new Set(Object.values(moves).flatMap((listed) => listed.map(([from, to]) => `${from} > ${to}`)))].sort();
const listed = ({ moves }: Machine): readonly string[] => moves.map(([from, to]) => `${from} > ${to}`).sort();

describe('the companion of the App authority contract', () => {
  it('the same states and moves as the code’s machines (cat:GEN-07)', () => {
    expect([...installationMachine.states].sort()).toEqual([...companion.installation.states].sort());
    expect(pairs(installationMachine.moves)).toEqual(listed(companion.installation));
    expect([...LIVE_STATES].sort()).toEqual([...companion.installation.live].sort());
    expect([...bindingMachine.states].sort()).toEqual([...companion.handler_binding.states].sort());
    expect(pairs(bindingMachine.moves)).toEqual(listed(companion.handler_binding));
  });

  it('the same separators as the code’s five digests (cat:GEN-07)', () => {
    const bytes = Buffer.from('{}');
    const separator = (name: string): string => companion.separators[name] ?? '';
    expect({
      component_id: componentId('a.b', 'a.b.v1', 'k'),
      component_digest: componentDigest('a.b.v1', 1, bytes),
      metadata_bundle_digest: metadataBundleDigest(bytes),
      app_release_digest: appReleaseDigest(bytes),
      layout_bundle_slot_revision_digest: slotRevisionDigest('a.b.c', {}),
    }).toEqual({
      component_id: documentDigest(separator('component_id'), Buffer.from('a.b\0a.b.v1\0k')),
      component_digest: documentDigest(separator('component_digest'), Buffer.from('a.b.v1\x001\0{}')),
      metadata_bundle_digest: documentDigest(separator('metadata_bundle_digest'), bytes),
      app_release_digest: documentDigest(separator('app_release_digest'), bytes),
      layout_bundle_slot_revision_digest: documentDigest(
        separator('layout_bundle_slot_revision_digest'),
        jcs({ app_id: 'a.b.c', component: {} }),
      ),
    });
  });

  it('the separator of what both owners say who hold their authors off is ours, and one', () => {
    const own = companion.separators['publication_barrier_receipt_digest'];
    expect([catalogBarrierReceipt.separator, packsBarrierReceipt.separator]).toEqual([own, own]);
  });

  it('the same map as the code: each fact has one owner, whose doors alone write its tables; every anchor resolves (cat:GEN-07, cat:OWN-17, cat:FAIL-10)', async () => {
    expect(companion.evidence.revision).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(mapFaults([...companion.facts, ...companion.facts_beside], await model(), repository())).toEqual([]);
    expect(companion.facts.map(({ id }) => id)).toEqual(Array.from({ length: 16 }, (_, at) => `OWN-${String(at + 1).padStart(2, '0')}`));
    expect(companion.facts.filter(({ authority }) => authority === '')).toEqual([]);
  });

  it('found: in a planted map a table of no fact, of two, or of somebody who does not write it, and an anchor that is not there', async () => {
    const now = await model();
    const files = [planted('libs/catalog/src/a.ts', '')];
    const fact = (owner: string, tables: readonly string[], anchors = ['libs/catalog/src/a.ts']): MappedFact => ({
      owner,
      tables,
      anchors,
    });
    const faults = (facts: readonly MappedFact[]) =>
      mapFaults(facts, { ...now, tables: now.tables.filter(({ table: { name } }) => name === 'cat_app') }, files);
    expect(faults([fact('catalog', ['cat_app'])])).toEqual([]);
    expect(faults([fact('catalog', [])])).toEqual(['cat_app is of no fact']);
    expect(faults([fact('catalog', ['cat_app']), fact('catalog', ['cat_app'])])).toEqual(['cat_app is of two facts']);
    expect(faults([fact('security', ['cat_app'])])).toEqual(['cat_app of security is written by catalog']);
    expect(faults([fact('catalog', ['cat_app', 'cat_gone'], ['libs/gone.ts'])])).toEqual([
      'cat_gone is no table',
      'libs/gone.ts is not there',
    ]);
  });

  it('the last phase begins when all three that it waits for are done, and the one before with its own (cat:HAND-05)', () => {
    const { phases } = companion;
    expect([phases['P7c/S1']?.waits_for, phases['R1b']?.waits_for]).toEqual([['A1c', 'P7b', 'R1b'], ['R1a']]);
    const code = (text: string) => [planted('libs/runtime/src/a.ts', text)];
    expect(begunEarly(phases, code('class ServingAdmission {}'))).toEqual(['libs/runtime/src/a.ts begins P7c/S1 before A1c, P7b, R1b']);
    expect(begunEarly({ ...phases, 'P7c/S1': { waits_for: ['A1c'], done: true } }, [])).toEqual(['the companion begins P7c/S1 before A1c']);
    const done = Object.fromEntries(Object.entries(phases).map(([name, phase]) => [name, { ...phase, done: true }]));
    expect(begunEarly(done, code('class ServingAdmission {}'))).toEqual([]);
    expect(
      begunEarly(
        phases,
        repository().filter(({ path }) => isProduction(path)),
      ),
    ).toEqual([]);
  });

  it('the six facts of before are six entries with owners of their own (cat:GEN-09)', () => {
    expect(companion.legacy_facts.map(({ fact }) => fact)).toEqual([
      ...['PackManifest', '_System_InstalledPack', '_System_App', 'ProductHooks', 'frontend owner IDs', 'Runtime security tables'],
    ]);
    expect(new Set(companion.legacy_facts.map(({ owner }) => owner)).size).toBe(6);
  });

  it('the worked example is a release of the first App, which provides the one capability and needs the other (cat:CAP-01, cat:CAP-03, cat:REJ-05, cat:REJ-07)', () => {
    const checked = checkRelease(seal(exampleRelease()));
    if (checked.kind === 'faulty') throw new Error(JSON.stringify(checked.faults));
    const { manifest } = checked.release;
    const { constants } = companion;
    expect([manifest.publisher_id, manifest.app_id]).toEqual([constants['publisher_id'], constants['app_id']]);
    const handlers = manifest.provided_capabilities.filter(({ kind }) => kind === 'service-handler');
    expect(handlers).toEqual([
      {
        capability_id: constants['public_capability'],
        kind: 'service-handler',
        handler_ref: constants['handler_ref'],
        required_runtime_capabilities: [constants['runtime_capability']],
      },
    ]);
    for (const digest of ['app_release_digest', 'service_release_digest', 'frontend_release_digest']) {
      const draft = exampleRelease();
      draft.manifest[digest] = checked.release.releaseDigest;
      expect(checkRelease(seal(draft))).toMatchObject({ kind: 'faulty', faults: [{ code: 'MANIFEST_NOT_CLOSED', pointer: `/${digest}` }] });
    }
  });
});
