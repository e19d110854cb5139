import { MAIN_TABLES } from '@connector/schema/tables';
import { openSchemaOf, type TestSchema } from '@connector/testing/database';
import { type ConversionWorld, conversionWorld, CRM_PUBLISHER } from '@connector/testing/fixtures/conversion';
import { trustedPublisher } from '@connector/testing/fixtures/registry';
import { countOf } from '@connector/testing/fixtures/serving';

const ORG = 'org-1';
let schema: TestSchema;
let world: ConversionWorld;

beforeAll(async () => {
  schema = await openSchemaOf(MAIN_TABLES);
  await schema.sql('ALTER TABLE cat_installation DROP INDEX u_live');
  world = await conversionWorld(schema, [ORG], { signer: await trustedPublisher(schema.db, CRM_PUBLISHER) });
});
afterAll(() => schema.close());

describe('a conversion where an App lives twice', () => {
  it('stops: cat:INST-11 before anything is frozen or journaled', async () => {
    await world.install(ORG, world.asked(ORG).asked);
    const columns = (await schema.sql('SHOW COLUMNS FROM cat_installation')).map((row) => String(row['Field']));
    const chosen = columns.map((column) => (column === 'app_installation_id' ? `'another'` : column));
    await schema.sql(`INSERT INTO cat_installation (${columns.join(', ')}) SELECT ${chosen.join(', ')} FROM cat_installation LIMIT 1`);
    const before = world.legacy.content();
    await expect(world.convert(world.asked(ORG))).rejects.toMatchObject({ code: 'HOUSE:catalog:LiveTwice' });
    expect([world.legacy.content(), await countOf(schema, 'cat_conversion')]).toEqual([before, 0]);
  });
});
