import { binary, digest, name, u64 } from '@connector/kernel/column';
import { table, type Table } from '@connector/kernel/table';
import { MAIN_TABLES } from './tables';

const columnsOf = (tables: readonly Table[]) =>
  tables.flatMap((one) =>
    Object.entries(one.columns).map(([column, { ddl }]) => ({ place: `${one.name}.${column}`, column, ddl, table: one })),
  );
const placesOf = (found: readonly { readonly place: string }[]): readonly string[] => found.map(({ place }) => place);
const keysOf = ({ primary, unique }: Table): readonly string[] => [...primary, ...Object.values(unique).flat()];

const CATALOG = MAIN_TABLES.filter((one) => one.name.startsWith('cat_'));
/** What a release is, and what is written beside it. */
const REGISTRY = CATALOG.filter((one) =>
  /^cat_(app|release|component|capability|slot|metadata|transfer|ownership|publisher|key)/.test(one.name),
);

/** Columns that would say of an App what its manifest alone says: ranges of versions, and lists of namespaces or protocols. */
const declared = (tables: readonly Table[]) =>
  placesOf(columnsOf(tables).filter(({ column }) => /(minimum|maximum|range|inclusive|exclusive|owned_namespace|protocol)/.test(column)));
/** Columns that would say of a component what its bundle alone says: policies, what it depends on, hashes, formats. */
const described = (tables: readonly Table[]) =>
  placesOf(
    columnsOf(tables).filter(({ column }) =>
      /(policy|removal|override|local_dep|external|content_digest|component_digest|component_kind|format_version)/.test(column),
    ),
  );
/** Where an installation of an App would be known beside Catalog's registry of them. */
const registries = (tables: readonly Table[]) =>
  placesOf(columnsOf(tables).filter(({ column }) => /(app_installation|installed_app|app_id|app_release)/.test(column)));
/** Columns by which a package would have an identity beside its release digest. */
const identities = (tables: readonly Table[]) =>
  placesOf(columnsOf(tables).filter(({ column }) => /(package|raw_sha256|manifest_digest|etag)/.test(column)));
/** Columns of services and frontends that are more than a digest. */
const foreignBytes = (tables: readonly Table[]) =>
  placesOf(columnsOf(tables).filter(({ column, ddl }) => /(artifact|service|frontend|image|asset)/.test(column) && ddl !== 'BINARY(32)'));
/** Where a label for people would name a release. */
const labelled = (tables: readonly Table[]) =>
  tables.flatMap((one) =>
    Object.keys(one.columns).flatMap((column) =>
      /(semantic|semver|version_label|git|commit|revision_sha)/.test(column) ? [`${one.name}.${column}`] : [],
    ),
  );
/** Where a handler is spoken of, or what it needs. */
const handlers = (tables: readonly Table[]) => placesOf(columnsOf(tables).filter(({ column }) => /(handler|required_)/.test(column)));
/** Where a version of a handler could disagree with the one in its reference. */
const versions = (tables: readonly Table[]) => placesOf(columnsOf(tables).filter(({ column }) => /(version|major|minor)/.test(column)));
/** Where a gateway's route would be a fact of Catalog. */
const routes = (tables: readonly Table[]) => placesOf(columnsOf(tables).filter(({ column }) => /(route|gateway|endpoint)/.test(column)));
/** Keys in which a pack, or one incarnation of one, would be the identity. What a conversion came from is evidence of it (cat:CONV-04). */
const keyedByPack = (tables: readonly Table[]) =>
  tables.filter((one) => !/^cat_(conversion|legacy)/.test(one.name) && keysOf(one).some((column) => /pack/.test(column)));
/** Where a namespace is said. */
const namespaces = (tables: readonly Table[]) =>
  tables.filter((one) => Object.keys(one.columns).some((column) => /namespace/.test(column)));
const namesOf = (tables: readonly Table[]): readonly string[] => tables.map((one) => one.name).sort();
/** Names of things outside that are not compared byte for byte. */
const folded = (tables: readonly Table[]) => placesOf(columnsOf(tables).filter(({ ddl }) => /CHAR|TEXT|JSON/.test(ddl)));

const planted = (columns: Record<string, ReturnType<typeof name>>): readonly Table[] => [
  table('cat_app_planted', { about: '', rank: null, columns, primary: ['id'] }) as unknown as Table,
];

describe('the App registry as tables', () => {
  it('found: a planted column of each kind', () => {
    expect(declared(planted({ id: name(8), maximum_version_exclusive: name(8) }))).toHaveLength(1);
    expect(described(planted({ id: name(8), removal_policy: name(8) }))).toHaveLength(1);
    expect(registries(planted({ id: name(8), installed_app: name(8) }))).toHaveLength(1);
    expect(identities(planted({ id: name(8), package_digest: name(8) }))).toHaveLength(1);
    expect(foreignBytes(planted({ id: name(8), frontend_assets: name(8) }))).toHaveLength(1);
    expect(labelled(planted({ id: name(8), semantic_version: name(8) }))).toHaveLength(1);
    expect(handlers(planted({ id: name(8), handler_ref: name(8) }))).toHaveLength(1);
    expect(versions(planted({ id: name(8), handler_version: name(8) }))).toHaveLength(1);
    expect(routes(planted({ id: name(8), route_epoch: name(8) }))).toHaveLength(1);
    expect(
      keyedByPack([table('cat_planted', { about: '', rank: null, columns: { pack_id: name(8) }, primary: ['pack_id'] }) as never]),
    ).toHaveLength(1);
    expect(namespaces(planted({ id: name(8), effective_namespace: name(8) }))).toHaveLength(1);
    const text = { ...name(8), ddl: 'VARCHAR(8)' };
    expect(folded(planted({ id: name(8), app_id: text }))).toHaveLength(1);
  });

  it('none: what depends on what within which range, and which namespaces an App owns, stand in its manifest alone (cat:MAN-06, cat:OWN-04, cat:FAIL-03)', () => {
    expect(REGISTRY.length).toBeGreaterThan(10);
    expect(declared(REGISTRY)).toEqual([]);
  });

  it('none: what a component is, depends on and hashes to, and how it may be overridden or removed, stands in its bundle alone (cat:OWN-05)', () => {
    expect(described(REGISTRY)).toEqual([]);
  });

  it('one: an installation is known in Catalog’s registry alone; an epoch names the one whose view it froze (cat:HAND-01, cat:OWN-06)', () => {
    expect(registries(MAIN_TABLES.filter((one) => !one.name.startsWith('cat_')))).toEqual(['con_epoch_content.app_installation_id']);
  });

  it('one: a release is (AppID, AppReleaseDigest); no package has another identity, and no checksum of transport is in a key (cat:DIG-11, cat:DIG-13)', () => {
    const release = CATALOG.find((one) => one.name === 'cat_app_release');
    expect(release?.primary).toEqual(['app_id', 'release_digest']);
    expect(identities(CATALOG)).toEqual([]);
    expect(MAIN_TABLES.filter((one) => keysOf(one).some((column) => column.includes('raw_sha256')))).toEqual([]);
  });

  it('digests: of a service or a frontend the catalog has the digest, never a byte (cat:OWN-09, cat:OWN-12)', () => {
    expect(columnsOf(CATALOG).filter(({ column }) => column === 'artifact_digest')).toHaveLength(1);
    expect(foreignBytes(CATALOG)).toEqual([]);
  });

  it('one: the version of a release is a label beside its digest, in no other table and in no key but its own (cat:MAN-04, cat:REJ-06)', () => {
    expect(labelled(MAIN_TABLES.filter((one) => /^(cat|art|sec)_/.test(one.name)))).toEqual(['cat_app_release.semantic_version']);
    const release = CATALOG.find((one) => one.name === 'cat_app_release');
    expect(release?.unique).toEqual({ version: ['app_id', 'semantic_version'] });
  });

  it('one: a handler is declared by the manifest alone; a binding repeats its reference, and has no version that could disagree (cat:OWN-08, cat:BIND-14)', () => {
    expect(handlers(CATALOG)).toEqual(['cat_binding.handler_ref']);
    expect(versions(CATALOG.filter((one) => /(binding_?|ownership_head)/.test(one.name) && !/authorized/.test(one.name)))).toEqual([]);
  });

  it('none: which route a gateway serves, and under which epoch, is no fact of an App or a binding (cat:BIND-18)', () => {
    expect(routes(CATALOG)).toEqual([]);
  });

  it('none: no identity of an App, a release or an installation is a pack’s (cat:REJ-02)', () => {
    expect(namesOf(keyedByPack(CATALOG))).toEqual([]);
  });

  it('claims: the namespaces of an installation stand in its claims and nowhere else (cat:INST-05)', () => {
    expect(namesOf(namespaces(CATALOG))).toEqual(['cat_namespace_claim', 'cat_slot_reservation']);
  });

  it('bytes: identities are compared as bytes, with nothing folded or padded (cat:A-41, cat:ID-06)', () => {
    expect(folded([...CATALOG, ...MAIN_TABLES.filter((one) => one.name.startsWith('art_'))])).toEqual([]);
    expect([name(8), digest(), binary(64), u64()].map(({ ddl }) => ddl)).toEqual([
      'VARBINARY(8)',
      'BINARY(32)',
      'BINARY(64)',
      'BIGINT UNSIGNED',
    ]);
  });
});
