import { SERVICE_KEY } from '@connector/connector/model/serving/work';
import { REVISIONS, type DatabaseKind } from '@connector/kernel/revisions';
import { type Ask, withConnection } from '@connector/platform/engine/connect';
import { createTable } from '@connector/schema/ddl';
import { checksumOf, type Migration } from '@connector/schema/migrations/migration';
import { MIGRATIONS, type MigrationPlan } from '@connector/schema/migrations/migrations';
import { JOURNAL_TABLES, MAIN_TABLES } from '@connector/schema/tables';
import { testDatabase } from '@connector/testing/engine';
import { applyMigrations, take } from './apply';
import { scratch, type Scratch } from './scratch.fixture';

let it_: Scratch;
const said: string[] = [];
const say = (line: string): void => void said.push(line);

beforeEach(async () => {
  it_ = await scratch(testDatabase());
  said.length = 0;
});
afterEach(() => it_.close());

const inside = <T>(database: string, work: (ask: Ask) => Promise<T>): Promise<T> =>
  withConnection(it_.admin, async (ask) => {
    await ask(`USE ${database}`);
    return work(ask);
  });
const apply = (plan: MigrationPlan = MIGRATIONS.main): Promise<void> => applyMigrations(it_.admin, it_.config.databaseName, plan, say);

/** Every column and every key of a database, in an order of its own. */
async function shapeOf(database: string): Promise<readonly (readonly string[])[]> {
  return withConnection(it_.admin, async (ask) => [
    ...(await ask(`SELECT table_name, column_name, ordinal_position, column_type, is_nullable, column_default, collation_name
                     FROM information_schema.columns WHERE table_schema = '${database}' ORDER BY 1, 3`)),
    ...(await ask(`SELECT table_name, index_name, seq_in_index, column_name, non_unique
                     FROM information_schema.statistics WHERE table_schema = '${database}' ORDER BY 1, 2, 3`)),
  ]);
}

/** What the database says of itself when it has all of them. */
const ALL = MIGRATIONS.main.migrations.map((one) => [
  ...[`${one.revision}`, one.name, one.breaking ? '1' : '0', checksumOf(one).slice(7).toUpperCase()],
]);
const REVISION_ROWS = 'SELECT revision, name, breaking, HEX(checksum) FROM con_schema_revision WHERE revision > 0 ORDER BY revision';
const applied = (): number => said.filter((line) => line.includes('statements')).length;

describe('migrations', () => {
  it.each<[DatabaseKind, typeof MAIN_TABLES]>([
    ['main', MAIN_TABLES],
    ['journal', JOURNAL_TABLES],
  ])('equal: the %s database made by migrations is the one that the catalog declares (con:INV-22)', async (kind, tables) => {
    const { databaseName, journalName } = it_.config;
    await applyMigrations(it_.admin, databaseName, MIGRATIONS[kind], say);
    await withConnection(it_.admin, (ask) => ask(`CREATE DATABASE ${journalName} DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`));
    await inside(journalName, async (ask) => {
      for (const table of tables) await ask(createTable(table));
    });
    const made = await shapeOf(databaseName);
    expect(made.length).toBeGreaterThan(10);
    expect(made).toEqual(await shapeOf(journalName));
  });

  it.each<DatabaseKind>(['main', 'journal'])(
    'known: the revisions of the %s database that services ask for are those with statements',
    (kind) => {
      const listed = MIGRATIONS[kind].migrations.map(({ revision, name, breaking }) => ({ revision, name, breaking }));
      expect(listed).toEqual(REVISIONS[kind]);
      expect(listed.map(({ revision }) => revision)).toEqual(listed.map((_, at) => at + 1));
    },
  );

  it('again: a second run changes nothing, and the service row is born once (con:INV-22)', async () => {
    await apply();
    await apply();
    await inside(it_.config.databaseName, async (ask) => {
      expect(await ask('SELECT service_key, revision FROM con_service')).toEqual([[SERVICE_KEY, '0']]);
      expect(await ask(REVISION_ROWS)).toEqual(ALL);
    });
    expect(applied()).toBe(ALL.length);
  });

  it('onward: a database of the first revision comes to the present one by what it lacks', async () => {
    await apply({ ...MIGRATIONS.main, migrations: MIGRATIONS.main.migrations.slice(0, 1) });
    await apply();
    await inside(it_.config.databaseName, async (ask) => expect(await ask(REVISION_ROWS)).toEqual(ALL));
    expect(applied()).toBe(ALL.length);
  });

  it.each(MIGRATIONS.main.migrations.map(({ revision }) => revision))(
    'resumed: revision %i, whose migrator died before its end, is run again to its end',
    async (dying) => {
      const cut = (one: Migration) => (one.revision === dying ? [...one.statements.slice(0, -1), 'SELECT nonsense'] : one.statements);
      const half = { ...MIGRATIONS.main, migrations: MIGRATIONS.main.migrations.map((one) => ({ ...one, statements: cut(one) })) };
      await expect(apply(half)).rejects.toThrow();
      await inside(it_.config.databaseName, async (ask) => {
        expect(await ask('SELECT revision FROM con_schema_revision WHERE revision > 0')).toHaveLength(dying - 1);
      });
      await apply();
      await inside(it_.config.databaseName, async (ask) => {
        expect(await ask(REVISION_ROWS)).toEqual(ALL);
      });
    },
  );

  it('kept: an uncertain effect of revision 1 is among the unknown ones of revision 2, also when that is run again', async () => {
    const [first, second] = MIGRATIONS.main.migrations;
    if (first === undefined || second === undefined) throw new Error('two revisions');
    await apply({ ...MIGRATIONS.main, migrations: [first] });
    await inside(it_.config.databaseName, async (ask) => {
      for (const [id, state] of [
        ['01', 'uncertain'],
        ['02', 'finalized'],
      ] as const) {
        const bytes = (length: number): string => `x'${id.repeat(length)}'`;
        await ask(`INSERT INTO con_remote_effect (effect_id, outbound_command_id, account, logical_effect_digest, epoch_id, epoch_digest,
                                                  credential_generation_id, request_digest, state, attempt_count)
                   VALUES (${bytes(16)}, ${bytes(16)}, 'north/one', ${bytes(32)}, ${bytes(16)}, ${bytes(32)}, ${bytes(16)}, ${bytes(32)}, '${state}', 1)`);
      }
      for (const statement of second.statements) await ask(statement);
    });
    await apply();
    await inside(it_.config.databaseName, async (ask) => {
      const rows = await ask('SELECT state FROM con_remote_effect WHERE uncertain_account = account');
      expect(rows).toEqual([['uncertain']]);
    });
  });

  it('kept: what revision 5 had gets its publication barriers in revision 6, once, also when that is run again', async () => {
    const before = MIGRATIONS.main.migrations.slice(0, 5);
    const statements = MIGRATIONS.main.migrations[5]?.statements ?? [];
    await apply({ ...MIGRATIONS.main, migrations: before });
    await inside(it_.config.databaseName, async (ask) => {
      for (const installation of ['one', 'two']) {
        await ask(`INSERT INTO cat_installation (organization_id, app_installation_id, state, attempt, activation_epoch)
                   VALUES ('org', '${installation}', 'ACTIVE', 1, 1)`);
        await ask(
          `INSERT INTO pck_installation (organization_id, owner_pack, pack_installation_id) VALUES ('org', '${installation}', '${installation}')`,
        );
      }
      for (const statement of [...statements, ...statements]) await ask(statement);
    });
    await apply();
    await inside(it_.config.databaseName, async (ask) => {
      const open = ['open', '0', '0'];
      expect(await ask('SELECT app_installation_id, state, barrier_fence, holder_fence FROM cat_publication_barrier ORDER BY 1')).toEqual([
        ['one', ...open],
        ['two', ...open],
      ]);
      expect(await ask('SELECT state, barrier_fence, holder_fence FROM pck_publication_barrier')).toEqual([open]);
    });
  });

  it('refused: an applied revision with other statements, and a database that is ahead of this code', async () => {
    await apply();
    const other = {
      ...MIGRATIONS.main,
      migrations: MIGRATIONS.main.migrations.map((one) => ({ ...one, statements: [...one.statements, 'SELECT 1'] })),
    };
    await expect(apply(other)).rejects.toMatchObject({ code: 'HOUSE:migrate:OtherBytes' });
    await inside(it_.config.databaseName, (ask) =>
      ask(
        `INSERT INTO con_schema_revision (revision, name, breaking, checksum) VALUES (${ALL.length + 1}, 'later', 0, x'${'00'.repeat(32)}')`,
      ),
    );
    await expect(apply()).rejects.toMatchObject({ code: 'HOUSE:migrate:Ahead' });
  });

  it('together: of several migrators at once each ends well and one of them applies', async () => {
    await Promise.all([apply(), apply(), apply()]);
    expect(applied()).toBe(ALL.length);
  });

  it('busy: a second migrator waits, bounded, and then says who is in the way', async () => {
    await apply();
    await inside(it_.config.databaseName, async (first) => {
      await take(first, 'con_schema_revision', 1);
      await inside(it_.config.databaseName, async (second) => {
        await expect(take(second, 'con_schema_revision', 1)).rejects.toMatchObject({ code: 'HOUSE:migrate:Busy' });
      });
    });
    await inside(it_.config.databaseName, (third) => take(third, 'con_schema_revision', 1));
  });
});
