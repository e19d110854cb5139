import type { AppRelease } from '@connector/catalog/model/release';
import { tupleDocument } from '@connector/catalog/model/installation/tuple';
import { Digest } from '@connector/kernel/digest';
import { MAIN_AREAS, MAIN_TABLES } from '@connector/schema/tables';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { layout, type ReleaseDraft } from '@connector/testing/fixtures/app-release';
import { Life } from '@connector/testing/fixtures/life';
import {
  APP,
  askedFor,
  emptyInstallations,
  platform,
  type PublicationWorld,
  publicationWorld,
} from '@connector/testing/fixtures/publication';
import { asking, type Signer } from '@connector/testing/fixtures/registry';
import { countOf } from '@connector/testing/fixtures/serving';
import { upgradeInstallation } from './change-release';

const KIND = 'io.nexuscrm.record-layout.v1';
const USER = 'dev.example.user';
const NAMESPACE = `${APP}.layouts`;
const OFFERED = platform({ schema: { generation: '7', components: [{ component_kind: KIND, format_version: 1 }] } }, [APP, USER]);

let schema: TestSchema;
let signer: Signer;
let world: PublicationWorld;

beforeAll(async () => {
  schema = await mainSchema();
  ({ signer } = await publicationWorld(schema));
});
beforeEach(async () => {
  await emptyInstallations(schema);
  world = await publicationWorld(schema, { signer, offered: OFFERED });
});
afterAll(() => schema.close());

interface Policies {
  readonly override_policy?: string;
  readonly removal_policy?: string;
}
/** These layouts, each under the policies. */
const layouts =
  (keys: readonly string[], policies: Policies = {}) =>
  (draft: ReleaseDraft): void => {
    draft.manifest['owned_namespaces'] = [NAMESPACE];
    const made = keys.map((key) => layout(NAMESPACE, key));
    for (const { descriptor, behavior } of made) draft.behaviors.set(String(descriptor['component_id']), behavior);
    made.sort((left, right) => (String(left.descriptor['component_id']) < String(right.descriptor['component_id']) ? -1 : 1));
    draft.components.push(...made.map(({ descriptor }) => ({ ...descriptor, external_component_refs: [], ...policies })));
  };
const standing = async ({ bundle }: AppRelease) =>
  schema.sql('SELECT * FROM cat_component_owner WHERE component_id IN (?) ORDER BY component_id', [
    bundle.components.map(({ component_id: component }) => Digest.bytes(component)),
  ]);
const upgraded = async (life: Life, release: AppRelease) => {
  const { organization, installation, state, activationEpoch } = await life.seen();
  const seen = { organization, installation, expectedState: state, expectedActivationEpoch: activationEpoch };
  return upgradeInstallation(world.parts, seen, askedFor(release), asking());
};

describe.each(['remove-if-unreferenced', 'block-if-referenced-or-overridden'])('a component under %s', (removal_policy) => {
  const word = removal_policy.slice(0, 6);
  const version = (minor: number) => `1.${minor}.0-${word}`;

  it('published: cat:BUN-09 the next release drops it; its owner row is what it was, and no other App can have it', async () => {
    const both = await world.release(layouts(['one', 'two'], { removal_policy }), APP, version(0));
    const less = await world.release(layouts(['one'], { removal_policy }), APP, version(1));
    const owned = await standing(both);
    expect(owned.map((row) => String(row['app_id']))).toEqual([APP, APP]);
    const life = await Life.active(schema, world, both);
    expect(await upgraded(life, less)).toMatchObject({ end: { kind: 'published' } });
    expect(await standing(both)).toEqual(owned);
    await expect(world.release(layouts(['two']), 'dev.example.taker', version(2))).rejects.toThrow('COMPONENT_OWNED');
  });

  it('refused: cat:BUN-08 the next release drops it while another App refers to it; published once nobody does', async () => {
    const both = await world.release(layouts(['one', 'two'], { removal_policy }), APP, version(3));
    const less = await world.release(layouts(['one'], { removal_policy }), APP, version(4));
    const life = await Life.active(schema, world, both);
    const refers = await world.release(
      (draft) => {
        const { descriptor, behavior } = layout(`${USER}.layouts`, 'mine');
        const ref = { dependency_alias: 'base', namespace_id: NAMESPACE, component_kind: KIND, business_key: 'two' };
        draft.components.push({ ...descriptor, external_component_refs: [ref] });
        draft.behaviors.set(String(descriptor['component_id']), behavior);
        draft.manifest['owned_namespaces'] = [`${USER}.layouts`];
        const range = { minimum_version_inclusive: '1.0.0-a', maximum_version_exclusive: '2.0.0' };
        draft.manifest['dependencies'] = [{ alias: 'base', app_id: APP, ...range, required_capabilities: [] }];
      },
      USER,
      version(3),
    );
    const asked = askedFor(refers, { dependencies: [{ alias: 'base', appReleaseDigest: both.releaseDigest }] });
    expect(await world.install(life.organization, asked)).toMatchObject({ end: { kind: 'published' } });
    expect(await upgraded(life, less)).toMatchObject({ kind: 'refused', refusal: { faults: [{ code: 'DEPENDENT_PINNED' }] } });
    await schema.sql('DELETE FROM cat_installation WHERE live_app_id = ?', [Buffer.from(USER)]);
    expect(await upgraded(life, less)).toMatchObject({ end: { kind: 'published' } });
  });
});

describe('the override policy of a component', () => {
  const TABLES = [...(MAIN_AREAS['installations'] ?? []), ...(MAIN_AREAS['membership'] ?? [])].map(({ name }) => name);
  const tupleOf = async ({ installation }: Life) => {
    const [row] = await schema.sql(
      `SELECT document FROM cat_publication_step WHERE app_installation_id = ? AND step = 'compiled' ORDER BY attempt DESC LIMIT 1`,
      [Buffer.from(installation)],
    );
    const { value } = tupleDocument.parse(row?.['document'] as Buffer);
    return { ...value, app_installation_id: '', app_release_digest: '' };
  };
  const grants = () =>
    world.security.seen
      .at(-1)
      ?.appGrants.toString('utf8')
      .replace(/"(app_release_digest|app_installation_id)":"[^"]*"/g, '');

  /** What an installation and its upgrade come to where all releases say this. */
  async function comesTo(override_policy: string, minor: number) {
    const [one, two] = [
      await world.release(layouts(['one'], { override_policy }), APP, `2.${minor}.0`),
      await world.release(layouts(['one', 'two'], { override_policy }), APP, `2.${minor}.1`),
    ];
    await emptyInstallations(schema);
    const life = await Life.active(schema, world, one);
    expect(await upgraded(life, two)).toMatchObject({ end: { kind: 'published' } });
    return { rows: await Promise.all(TABLES.map((table) => countOf(schema, table))), tuple: await tupleOf(life), grants: grants() };
  }

  it('published: cat:BUN-22 cat:BUN-07 to preserve what a kind authorizes is no authority: no fact, no grant and no tuple differs from replace', async () => {
    const replaced = await comesTo('replace', 0);
    expect(replaced.grants).toContain('runtime.records.write.v1');
    expect(await comesTo('preserve-authorized-overrides', 1)).toEqual(replaced);
  });

  it('none: cat:BUN-22 no table has a place for an override', () => {
    const places = MAIN_TABLES.flatMap(({ name, columns }) => [name, ...Object.keys(columns)]);
    expect(places).toContain('cat_component_owner');
    expect(places.filter((place) => place.includes('overrid'))).toEqual([]);
  });
});
