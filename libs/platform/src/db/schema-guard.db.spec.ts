import { conSchemaRevision } from '@connector/schema/connector/schema-revision';
import { openSchemaOf, type TestSchema } from '@connector/testing/database';
import { testDatabase } from '@connector/testing/engine';
import { Pool } from './pool';
import { requireSchema } from './schema-guard';

let schema: TestSchema;
let pool: Pool;

beforeEach(async () => {
  schema = await openSchemaOf([conSchemaRevision]);
  const { host, port, user, password } = testDatabase();
  const { database } = schema;
  pool = new Pool({ host, port, user, password, database, size: 2, inspect: (connection) => requireSchema(connection, 'main') });
});
afterEach(async () => {
  await pool.close();
  await schema.close();
});

const REFUSED = { code: 'HOUSE:db:SchemaRefused' };
const revision = (number: number, breaking: 0 | 1): Promise<unknown> =>
  schema.sql('INSERT INTO con_schema_revision (revision, name, breaking, checksum) VALUES (?, ?, ?, ?)', [
    number,
    'later',
    breaking,
    Buffer.alloc(32),
  ]);

describe('schema guard', () => {
  it('served: a session on a database with the revisions of this code', async () => {
    pool.release(await pool.acquire());
  });

  it('refused: a database that nobody migrated', async () => {
    await schema.sql('DROP TABLE con_schema_revision');
    await expect(pool.acquire()).rejects.toMatchObject(REFUSED);
    await schema.sql('CREATE TABLE con_schema_revision (revision INT, name VARBINARY(64), breaking TINYINT)');
    await expect(pool.acquire()).rejects.toMatchObject(REFUSED);
  });

  it('refused: the next session after a breaking revision came while this process runs; a harmless one is let be', async () => {
    const before = await pool.acquire();
    await revision(90, 0);
    pool.release(await pool.acquire());
    await revision(91, 1);
    pool.destroy(before);
    const idle = await pool.acquire();
    await expect(pool.acquire()).rejects.toMatchObject(REFUSED);
    pool.release(idle);
  });
});
