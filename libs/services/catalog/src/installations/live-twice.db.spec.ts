import type { AppRelease } from '@connector/catalog/model/release';
import type { OpenAttempt } from '@connector/catalog/model/installation/attempt';
import { MAIN_AREAS, MAIN_TABLES } from '@connector/schema/tables';
import { openSchemaOf, type TestSchema } from '@connector/testing/database';
import { Life } from '@connector/testing/fixtures/life';
import { askedFor, emptyInstallations, PUBLISHER, type PublicationWorld, publicationWorld } from '@connector/testing/fixtures/publication';
import { asking, type Signer, trustedPublisher } from '@connector/testing/fixtures/registry';
import { countOf } from '@connector/testing/fixtures/serving';
import { abandonInstallation } from './abandon';
import { rollBackInstallation, upgradeInstallation } from './change-release';
import { continuePublication } from './continue-publication';
import { publicationLoop } from './installation-parts';
import { planInstallation } from './plan';
import { removeInstallation } from './remove';
import { resumeInstallation } from './resume';

const ORG = 'org-1';
let schema: TestSchema;
let signer: Signer;
let world: PublicationWorld;
let first: AppRelease;
let second: AppRelease;
let other: AppRelease;
let life: Life;

beforeAll(async () => {
  schema = await openSchemaOf(MAIN_TABLES);
  signer = await trustedPublisher(schema.db, PUBLISHER);
  await schema.sql('ALTER TABLE cat_installation DROP INDEX u_live');
});
beforeEach(async () => {
  await emptyInstallations(schema);
  world = await publicationWorld(schema, { signer });
  [first, second] = [await world.release(), await world.release(undefined, undefined, '2.0.0')];
  other = await world.release(undefined, 'dev.example.other');
  life = await Life.active(schema, world, first);
});
afterAll(() => schema.close());

/** A second live row of the App, as no door of the product can leave one. */
async function another(): Promise<void> {
  const columns = (await schema.sql('SHOW COLUMNS FROM cat_installation')).map((row) => String(row['Field']));
  const chosen = columns.map((column) => (column === 'app_installation_id' ? `'another'` : column));
  await schema.sql(`INSERT INTO cat_installation (${columns.join(', ')}) SELECT ${chosen.join(', ')} FROM cat_installation LIMIT 1`);
}

const TABLES = [...(MAIN_AREAS['installations'] ?? []), ...(MAIN_AREAS['membership'] ?? [])].map(({ name }) => name);
const written = () => Promise.all(TABLES.map((table) => countOf(schema, table)));

async function stops(run: () => Promise<unknown>): Promise<void> {
  await another();
  const [before, sent] = [await written(), world.security.seen.length];
  await expect(run()).rejects.toMatchObject({ code: 'HOUSE:catalog:LiveTwice' });
  expect([await written(), world.security.seen.length]).toEqual([before, sent]);
}

const seen = async () => {
  const { organization, installation, state, activationEpoch } = await life.seen();
  return { organization, installation, expectedState: state, expectedActivationEpoch: activationEpoch };
};

describe('an App of which two live', () => {
  it('stops: cat:INST-11 what is compiled for the whole organization: the install of any App, an upgrade, a removal', async () => {
    await stops(() => world.install(ORG, askedFor(other)));
    await schema.sql(`DELETE FROM cat_installation WHERE app_installation_id = 'another'`);
    await stops(async () => upgradeInstallation(world.parts, await seen(), askedFor(second), asking()));
    await schema.sql(`DELETE FROM cat_installation WHERE app_installation_id = 'another'`);
    await stops(async () => removeInstallation(world.parts, await seen(), asking()));
  });

  it('stops: cat:INST-11 a plan of it, before anybody is shown one', () =>
    stops(() => planInstallation(world.parts, ORG, askedFor(other))));

  it('stops: cat:INST-11 a rollback', async () => {
    await (await life.opened('upgrade', second)).toEnd();
    await stops(async () => rollBackInstallation(world.parts, await seen(), first.releaseDigest, asking()));
  });

  it('stops: cat:INST-11 the taking back of a candidate, whose projection is of everything that serves', async () => {
    await (await life.opened('upgrade', second)).toPublish();
    await stops(async () => abandonInstallation(world.parts, await seen(), asking()));
  });

  it.each(['opened', 'compiled', 'acknowledged'])('stops: cat:INST-11 a publication that somebody left with %s', async (step) => {
    const run = await life.opened('upgrade', second);
    if (step !== 'opened') await run.compile();
    if (step === 'acknowledged') await run.acknowledge(await run.send());
    const at: OpenAttempt = run.at;
    await stops(() => continuePublication(world.parts, at));
  });

  it('stops: cat:INST-11 whoever reconciles: a resume, and the loop over what was left', async () => {
    await life.opened('upgrade', second);
    await stops(async () => resumeInstallation(world.parts, await seen(), asking()));
    await schema.sql(`DELETE FROM cat_installation WHERE app_installation_id = 'another'`);
    await stops(() => publicationLoop(world.parts, 1000).once(new AbortController().signal, 'poll'));
  });
});
