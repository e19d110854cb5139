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
/** Columns by which a package would have an identity beside its release digest. */
const identities = (tables: readonly Table[]) =>
  placesOf(columnsOf(tables).filter(({ column }) => /(package|raw_sha256|manifest_digest|etag)/.test(column)));
/** Columns of services and frontends that are more than a digest. */
const foreignBytes = (tables: readonly Table[]) =>
  placesOf(columnsOf(tables).filter(({ column, ddl }) => /(service_release|frontend_release)/.test(column) && ddl !== 'BINARY(32)'));
/** Names of things outside that are not compared byte for byte. */
const folded = (tables: readonly Table[]) => placesOf(columnsOf(tables).filter(({ ddl }) => /CHAR|TEXT|JSON/.test(ddl)));

const planted = (columns: Record<string, ReturnType<typeof name>>): readonly Table[] => [
  table('cat_app_planted', { about: '', rank: null, columns, primary: ['id'] }) as unknown as Table,
];

describe('the App registry as tables', () => {
  it('found: a planted column of each kind', () => {
    expect(declared(planted({ id: name(8), maximum_version_exclusive: name(8) }))).toHaveLength(1);
    expect(identities(planted({ id: name(8), package_digest: name(8) }))).toHaveLength(1);
    expect(foreignBytes(planted({ id: name(8), service_release_bytes: name(8) }))).toHaveLength(1);
    const text = { ...name(8), ddl: 'VARCHAR(8)' };
    expect(folded(planted({ id: name(8), app_id: text }))).toHaveLength(1);
  });

  it('none: what depends on what within which range, and which namespaces an App owns, stand in its manifest alone (cat:MAN-06, cat:OWN-04)', () => {
    expect(REGISTRY.length).toBeGreaterThan(10);
    expect(declared(REGISTRY)).toEqual([]);
  });

  it('one: a release is (AppID, AppReleaseDigest); no package has another identity, and no checksum of transport is in a key (cat:DIG-11, cat:DIG-13)', () => {
    const release = CATALOG.find((one) => one.name === 'cat_app_release');
    expect(release?.primary).toEqual(['app_id', 'release_digest']);
    expect(identities(CATALOG)).toEqual([]);
    expect(MAIN_TABLES.filter((one) => keysOf(one).some((column) => column.includes('raw_sha256')))).toEqual([]);
  });

  it('digests: of a service or a frontend the catalog has the digest, never a byte (cat:OWN-09)', () => {
    expect(foreignBytes(CATALOG)).toEqual([]);
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
