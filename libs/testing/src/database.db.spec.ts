import type { Table } from '@connector/kernel/table';
import { conEffectFeed } from '@connector/schema/connector/outbound';
import { conSchemaRevision } from '@connector/schema/connector/schema-revision';
import { borrowSchema, openSchemaOf, type TestSchema } from './database';

/** Of these two alone, so that no other file takes one between two tests. */
const TABLES = [conSchemaRevision, conEffectFeed] as unknown as readonly Table[];
const FEED = "INSERT INTO con_effect_feed (account, next_seq) VALUES ('left/behind', 1)";

const taken: TestSchema[] = [];
async function borrowed(): Promise<TestSchema> {
  const schema = await borrowSchema('main', TABLES);
  taken.push(schema);
  return schema;
}
const givenBack = async (): Promise<void> => taken.pop()?.close();
afterEach(async () => {
  while (taken.length > 0) await givenBack();
});

const count = async (schema: TestSchema, of: string): Promise<number> =>
  Number((await schema.sql(`SELECT COUNT(*) AS n FROM ${of}`))[0]?.['n']);

describe('borrowed schema', () => {
  it('one each: of two that are held at once neither sees a row of the other', async () => {
    const [one, other] = [await borrowed(), await borrowed()];
    expect(one.database).not.toBe(other.database);
    await one.sql(FEED);
    expect(await count(other, 'con_effect_feed')).toBe(0);
  });

  it('empty: what its last user left is gone, and the revisions stand once, as migrate leaves them', async () => {
    const first = await borrowed();
    const revisions = await count(first, 'con_schema_revision');
    await first.sql(FEED);
    await first.sql("UPDATE con_schema_revision SET name = 'other'");
    await givenBack();
    const next = await borrowed();
    expect(next.database).toBe(first.database);
    expect([await count(next, 'con_effect_feed'), await count(next, 'con_schema_revision')]).toEqual([0, revisions]);
    expect(await count(next, "con_schema_revision WHERE name = 'other'")).toBe(0);
  });

  it('made anew: one that lacks a table is not taken as it is', async () => {
    const first = await borrowed();
    await first.sql('DROP TABLE con_effect_feed');
    await givenBack();
    const next = await borrowed();
    expect(next.database).toBe(first.database);
    expect(await count(next, 'con_effect_feed')).toBe(0);
  });

  it('reset: every table is empty but that of the revisions', async () => {
    const schema = await borrowed();
    await schema.sql(FEED);
    await schema.reset();
    expect(await count(schema, 'con_effect_feed')).toBe(0);
    expect(await count(schema, 'con_schema_revision')).toBeGreaterThan(0);
  });
});

describe('schema of its own', () => {
  it('dropped: nothing is left of it', async () => {
    const own = await openSchemaOf([conEffectFeed]);
    const { database } = own;
    await own.close();
    const seen = await borrowed();
    expect(await count(seen, `information_schema.schemata WHERE schema_name = '${database}'`)).toBe(0);
  });
});
