import type { AppRelease } from '@connector/catalog/model/release';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { APP, askedFor, type PublicationWorld, publicationWorld } from '@connector/testing/fixtures/publication';
import { asking, rowsOf } from '@connector/testing/fixtures/registry';
import { prepareInstallation } from './install';
import { planInstallation } from './plan';

const ORG = 'org-1';
const TABLES = ['cat_lineage', 'cat_installation', 'cat_candidate', 'cat_publication_step', 'cat_audit', 'cat_request'];
let schema: TestSchema;
let world: PublicationWorld;
let release: AppRelease;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  world = await publicationWorld(schema);
  release = await world.release((draft) => {
    draft.manifest['owned_namespaces'] = [`${APP}.layouts`];
  });
});
afterAll(() => schema.close());

describe('planning an installation', () => {
  it('prepared: the revision and the security epoch that it was checked under, and what it would claim; nothing is written', async () => {
    const before = await rowsOf(schema, ...TABLES);
    expect(await planInstallation(world.parts, ORG, askedFor(release))).toEqual({
      ...{ kind: 'prepared', catalogRevision: 0n, securityEpoch: 0n, semanticVersion: '1.0.0', schemaGeneration: '7' },
      ...{ namespaces: [`${APP}.layouts`], handlers: [{ capabilityId: `${APP}.work.v1`, handlerRef: `${APP}.handler.work.v1` }] },
    });
    expect([await rowsOf(schema, ...TABLES), world.security.seen]).toEqual([before, []]);
  });

  it('live-installation-exists: an App is planned once in an organization', async () => {
    const { installation } = await world.opened(ORG, askedFor(release));
    expect(await planInstallation(world.parts, ORG, askedFor(release))).toEqual({ kind: 'live-installation-exists', installation });
  });

  it('publication-open: another App waits until the open publication ended', async () => {
    const { installation, attempt } = await world.opened(ORG, askedFor(release));
    const other = await world.release(undefined, 'dev.example.other');
    expect(await planInstallation(world.parts, ORG, askedFor(other))).toEqual({ kind: 'publication-open', installation, attempt });
  });

  it('release-absent: nothing is checked of what is not registered', async () => {
    const absent = askedFor({ ...release, appId: 'dev.example.nobody' as AppRelease['appId'] });
    expect(await planInstallation(world.parts, ORG, absent)).toEqual({ kind: 'release-absent' });
  });
});

describe('carrying a plan out', () => {
  const confirmed = (catalogRevision: bigint, securityEpoch: bigint, request = asking()) =>
    prepareInstallation(
      world.parts,
      { organization: ORG, existing: null, asked: askedFor(release), expected: { catalogRevision, securityEpoch } },
      request,
    );

  it('opened: under the revision and the epoch that it says; the same again is answered the same though both have moved', async () => {
    const request = asking();
    const first = await confirmed(0n, 0n, request);
    expect(first).toMatchObject({ kind: 'opened', end: { kind: 'published' } });
    expect(await confirmed(0n, 0n, request)).toEqual(first);
  });

  it.each([
    ['revision', 1n, 0n],
    ['security epoch', 0n, 1n],
  ])('expected-moved: another %s than the plan was made under; nothing is written', async (_, revision, epoch) => {
    const before = await rowsOf(schema, ...TABLES.slice(1));
    const now = { kind: 'expected-moved', catalogRevision: 0n, securityEpoch: 0n };
    expect(await confirmed(revision, epoch)).toEqual(now);
    expect(await rowsOf(schema, ...TABLES.slice(1))).toEqual(before);
  });
});
