import { activateBinding } from '@connector/catalog/transitions/binding/activate-binding.tx';
import { publish } from '@connector/catalog/transitions/installation/publish.tx';
import type { AppRelease } from '@connector/catalog/model/release';
import type { Db } from '@connector/platform/db/db';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { Bound } from '@connector/testing/fixtures/binding';
import { askedFor, platform, type PublicationWorld, publicationWorld } from '@connector/testing/fixtures/publication';
import { Publication } from '@connector/testing/fixtures/publication-steps';
import { asking } from '@connector/testing/fixtures/registry';
import { Signals, somebodyWaitsAt } from '@connector/testing/signals';
import { prepareInstallation } from './install';

const ORG = 'org-1';
const [ONE, TWO] = ['dev.example.one', 'dev.example.two'] as const;
let schema: TestSchema;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

/** The first stands at the COMMIT of its door until the second waits for what it holds. */
async function inOrder<A, B>(
  { door, at = 'lock cat_lineage' }: { door: string; at?: string },
  first: (db: Db) => Promise<A>,
  second: (db: Db) => Promise<B>,
): Promise<readonly [A, B]> {
  const signals = new Signals();
  const stop = signals.stopAt(`${door}/commit`);
  const one = first(schema.another(signals.hook));
  await stop.reached;
  const two = second(schema.another());
  await somebodyWaitsAt(schema, at).finally(stop.release);
  return Promise.all([one, two]);
}

describe('installations › race: two that claim one namespace', () => {
  let world: PublicationWorld;
  let releases: readonly [AppRelease, AppRelease];

  beforeEach(async () => {
    world = await publicationWorld(schema, { offered: platform({}, [ONE, TWO]) });
    const of = (app: string, namespace: string) => world.release((draft) => void (draft.manifest['owned_namespaces'] = [namespace]), app);
    releases = [await of(ONE, 'dev.example.shared'), await of(TWO, 'dev.example.shared.deep')];
  });

  const ready = async (release: AppRelease) => {
    const open = await world.opened(ORG, askedFor(release));
    await new Publication(schema.db, world, open).toPublish();
    return (db: Db) => publish(db, { ...open, schemaGeneration: '7' });
  };
  const installs = (release: AppRelease) => (db: Db) =>
    prepareInstallation({ ...world.parts, db }, { organization: ORG, existing: null, asked: askedFor(release) }, asking());
  const claims = async () =>
    (await schema.sql('SELECT app_installation_id, namespace_id FROM cat_namespace_claim WHERE open_namespace_id IS NOT NULL')).map((row) =>
      String(row['namespace_id']),
    );

  it.each([
    [0, 1],
    [1, 0],
  ] as const)(
    'refused: cat:INST-17 cat:PUBL-12 whichever comes first has it, and the other is told whose it is (%s before %s)',
    async (one, two) => {
      const publishes = await ready(releases[one]);
      const [, answer] = await inOrder({ door: 'publish' }, publishes, installs(releases[two]));
      expect(answer).toMatchObject({ kind: 'refused', refusal: { faults: [{ code: 'NAMESPACE_OVERLAP', rule: 'PREP-04' }] } });
      expect(await claims()).toEqual([releases[one].manifest.owned_namespaces[0]]);
    },
  );

  it('publication-open: cat:INST-17 of two that begin at once one claims', async () => {
    const [first, second] = await inOrder(
      { door: 'open-publication', at: 'lock cat_publisher' },
      installs(releases[0]),
      installs(releases[1]),
    );
    expect([first.kind, second.kind]).toEqual(['opened', 'publication-open']);
    expect(await claims()).toEqual(['dev.example.shared']);
  });
});

describe('installations › race: two bindings of one capability', () => {
  it('ownership-epoch-stale: cat:INST-17 cat:BIND-05 the second is told of the first, and there is one ACTIVE', async () => {
    const bound = await Bound.open(schema, ORG);
    const staged = [await bound.staged(), await bound.staged()] as const;
    const activates = (at: 0 | 1) => (db: Db) => activateBinding(db, bound.activating(staged[at]), asking());
    const answers = await inOrder({ door: 'activate-binding', at: 'lock cat_publication_barrier' }, activates(1), activates(0));
    expect(answers.map(({ kind }) => kind)).toEqual(['activated', 'ownership-epoch-stale']);
    const active = await schema.sql(`SELECT binding_id FROM cat_binding_state WHERE state = 'ACTIVE'`);
    expect(active.map((row) => String(row['binding_id']))).toEqual([staged[1].bindingId]);
  });
});
