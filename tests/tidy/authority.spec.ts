import {
  appsAndPacks,
  authoredNamespaces,
  chosenByMintedId,
  legacyReaders,
  reasonsOf,
  recordAccess,
  unfalsified,
  untriedPorts,
  waysIn,
} from './checks/authority';
import { model } from './model';
import { documentAt, planted, repository, type Source } from './repo';

const at = (text: string, path = 'libs/catalog/src/a.ts'): Source => planted(path, text);
// Rows are put together from halves so that this spec cites nothing that it does not prove.
const row = (id: string): string => ['cat', id].join(':');
type Matrices = Readonly<Record<string, { readonly sections: readonly { readonly rows: Readonly<Record<string, string>> }[] }>>;
const KNOWN = new Set(
  Object.entries(documentAt<Matrices>('docs/spec/rows.json')).flatMap(([matrix, { sections }]) =>
    sections.flatMap((section) => Object.keys(section.rows).map((id) => `${matrix}:${id}`)),
  ),
);

describe('the App authority', () => {
  it.each([
    ["const path = '/services/data/v60/ui-api/record-access';"],
    ["const need = 'runtime.records.evaluate-access.v1';"],
    ['class RemoteRecordAccessReader {}'],
    ["import { credentials } from '@grpc/grpc-js';"],
    ['const proto = `rpc Evaluate (Batch) returns (Answer);`;'],
  ])('found: planted code of the record-access slice: %s', (text) => {
    for (const path of ['libs/catalog/src/a.ts', 'libs/connector/src/a.ts', 'apps/runtime/main.ts'])
      expect(recordAccess([at(text, path)])).toHaveLength(1);
    expect(recordAccess([at(text, 'libs/catalog/src/a.spec.ts')])).toEqual([]);
  });

  it('none: the record-access capabilities have no route, no grammar, no reader and no RPC here (cat:GEN-05, cat:CAP-02, cat:REJ-09)', () => {
    expect(recordAccess([planted('libs/runtime/access.proto', '')])).toHaveLength(1);
    expect(recordAccess(repository())).toEqual([]);
  });

  it('found: planted readers of what was before, but not where a conversion reads it as evidence', () => {
    for (const text of ["const app = '_System_App';", 'readInstalledPack(); // InstalledPack', 'new ProductHooks()', "kind: 'app-pack'"])
      expect(legacyReaders([at(text)])).toHaveLength(1);
    expect(legacyReaders([at("const app = '_System_App';", 'libs/catalog/src/model/conversion/mapping.ts')])).toEqual([]);
  });

  it('none: nothing that serves reads navigation, installed packs, product hooks or a source checkout (cat:OWN-15, cat:REJ-01, cat:FAIL-08)', () => {
    expect(legacyReaders(repository())).toEqual([]);
  });

  it('one: a fact of an App is begun by one write path; those of a binding, an owner and a conversion by the acts that make one (cat:GEN-01)', async () => {
    const now = await model();
    const several = {
      cat_binding: ['open-publication', 'stage-binding'],
      cat_binding_state: ['open-publication', 'stage-binding'],
      cat_conversion: ['fail-conversion', 'open-publication'],
      cat_ownership_event: ['accept-transfer', 'recover-app', 'register-release'],
    };
    const [first] = now.paths;
    const second = {
      ...first,
      name: 'import-release',
      owner: 'catalog',
      steps: ['insert cat_app_release'],
    } as unknown as (typeof now.paths)[number];
    expect(waysIn({ ...now, paths: [...now.paths, second] })).toEqual({
      ...several,
      cat_app_release: ['import-release', 'register-release'],
    });
    expect(waysIn(now)).toEqual(several);
  });

  it('found: a planted App that is made of a pack, and a pack that is made of an App', () => {
    const pack = "import { packManifest } from '@connector/packs/model/documents';";
    const app = "import { manifestRule } from '@connector/catalog/model/manifest';";
    expect(appsAndPacks([at(pack)])).toHaveLength(1);
    expect(appsAndPacks([at(app, 'libs/packs/src/engine/a.ts')])).toHaveLength(1);
    expect(appsAndPacks([at(pack, 'libs/services/catalog/src/a.ts'), at(pack, 'libs/catalog/src/model/conversion/a.ts')])).toEqual([]);
  });

  it('none: an App is not a wrapped pack manifest, and a pack is no App (cat:REJ-03, cat:REJ-04)', () => {
    expect(appsAndPacks(repository())).toEqual([]);
  });

  it('found: a planted statement that takes the last of what was minted; a page in a fixed order is none', () => {
    expect(chosenByMintedId([at('`SELECT 1 FROM x ORDER BY binding_id DESC LIMIT 10`')])).toHaveLength(1);
    expect(chosenByMintedId([at("'WHERE a = :a ORDER BY organization_id, app_installation_id LIMIT 1'")])).toHaveLength(1);
    expect(chosenByMintedId([at('`ORDER BY i.app_installation_id LIMIT ${LIST_MAX + 1}`'), at("'ORDER BY attempt DESC LIMIT 1'")])).toEqual(
      [],
    );
  });

  it('none: nothing chooses by the time in a minted UUIDv7 (cat:A-43)', () => {
    expect(chosenByMintedId(repository())).toEqual([]);
  });

  it('found: a planted reason that is a thread, and a row that is not there', () => {
    expect(reasonsOf([at('// As decided in issue 12.')], KNOWN)).toEqual(['libs/catalog/src/a.ts: rests on issue 12']);
    expect(reasonsOf([at('// See #3624.')], KNOWN)).toHaveLength(1);
    expect(reasonsOf([at(`/** ${row('OWN-99')} */`)], KNOWN)).toEqual([`libs/catalog/src/a.ts: ${row('OWN-99')} is no row`]);
    expect(reasonsOf([at(`/** ${row('OWN-01')}, decisions 12.7 */`)], KNOWN)).toEqual([]);
  });

  it('none: what code and pages give as a reason is a row that exists or a decision, never a thread (cat:GEN-08)', () => {
    expect(reasonsOf(repository(), KNOWN)).toEqual([]);
  });

  it('none: no request authors a namespace; a release says which it has (cat:INST-05)', () => {
    expect(
      authoredNamespaces([at('class Body {\n  @IsArray() namespaces!: string[];\n}', 'libs/services/catalog/src/bodies.ts')]),
    ).toHaveLength(1);
    expect(
      authoredNamespaces([at('class Body {\n  owned_namespace?: string;\n}', 'libs/services/operator/src/installs-bodies.ts')]),
    ).toHaveLength(1);
    expect(authoredNamespaces(repository())).toEqual([]);
  });

  it('falsified: each preparation check, and what step 4 compares, has a test that it alone refuses (cat:FAIL-04)', () => {
    const checks = [...Array.from({ length: 11 }, (_, at) => row(`PREP-${String(at + 1).padStart(2, '0')}`)), row('PUBL-07')];
    const spec = (title: string) => [planted('libs/a.spec.ts', `it('${title}', () => {});`)];
    expect(unfalsified([row('PREP-01')], spec(`refused: ${row('PREP-01')} a key`))).toEqual([]);
    expect(unfalsified([row('PREP-01')], spec(`published: ${row('PREP-01')} a key`))).toEqual([row('PREP-01')]);
    expect(unfalsified(checks, repository())).toEqual([]);
  });

  it('tried: what stands in for an owner elsewhere keeps one suite with another adapter; the companion is our own (cat:A-40)', () => {
    const port = at('export interface Clock {\n  now(): Promise<string>;\n}', 'libs/catalog/src/contract/clock.ts');
    const suite = at('export function clockConforms(name: string, make: () => Clock): void {}', 'libs/testing/src/clock-conformance.ts');
    const once = at("clockConforms('one', make);", 'libs/catalog/src/clock.spec.ts');
    expect(untriedPorts([port])).toHaveLength(1);
    expect(untriedPorts([port, suite, once])).toEqual([
      'libs/catalog/src/contract/clock.ts: the suite of Clock is run on 1 adapters, at least 2',
    ]);
    expect(untriedPorts([port, suite, once, at("clockConforms('two', make);", 'libs/catalog/src/other.spec.ts')])).toEqual([]);
    const ports = repository().filter(({ path }) => path.startsWith('libs/catalog/src/contract/'));
    expect(untriedPorts(ports)).toHaveLength(4);
    expect(untriedPorts(repository())).toEqual([]);
  });
});
