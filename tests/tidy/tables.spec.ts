import { int } from '@connector/kernel/column';
import { doors, writePaths } from '@connector/kernel/paths';
import { table } from '@connector/kernel/table';
import { ddlElsewhere, foreignTables, misnamed, unknownTables, unread, unwritten } from './checks/tables';
import { model, type Model } from './model';
import { planted, repository } from './repo';

const paths = writePaths({
  'close-things': { code: 'CLS', about: '', again: '', steps: ['lock con_thing', 'update con_thing', 'read run_fact'] },
});
const declare = (owner: string, name: string, constant: string) => ({
  owner,
  constant,
  table: table(name, { about: '', rank: null, columns: { a: int() }, primary: ['a'] }),
});
const small: Model = {
  paths: [{ ...paths['close-things'], owner: 'connector', name: 'close-things' }],
  doors: Object.values(doors(paths, { close: { paths: ['close-things'], by: ['ingress'] } })).map((door) => ({
    ...door,
    owner: 'connector',
  })),
  tables: [
    declare('connector', 'con_thing', 'conThing'),
    declare('connector', 'con_idle', 'conIdle'),
    declare('runtime', 'run_fact', 'runFact'),
  ] as unknown as Model['tables'],
};

describe('tables', () => {
  it('named: a planted table under another owner, and a step over a table that nobody declares', () => {
    expect(misnamed([...small.tables, declare('runtime', 'con_stray', 'conStray') as unknown as Model['tables'][number]])).toEqual([
      'con_stray stands in libs/schema/src/runtime',
    ]);
    expect(unknownTables({ ...small, tables: [] })).toHaveLength(3);
  });

  it('named: a planted table without writer and without reader', () => {
    expect(unwritten(small)).toEqual(['con_idle has no writer']);
    const reads = (text: string) => [planted('libs/connector/src/reads/things.ts', text)];
    expect(unread(small, reads(''))).toEqual(['con_idle has no reader']);
    expect(unread(small, reads("import { conIdle } from '@connector/schema/connector/idle';"))).toEqual([]);
    expect(unread(small, [])).toEqual([]);
  });

  it('named: a planted file that speaks of a table of another owner', () => {
    const at = (path: string, text: string) => foreignTables(small, [planted(path, text)]);
    expect(at('libs/runtime/src/reads/a.ts', "const a = 'SELECT 1 FROM con_thing';")).toEqual([
      'libs/runtime/src/reads/a.ts speaks of con_thing, which is connector’s',
    ]);
    expect(at('libs/services/operator/src/a.ts', "import { conThing } from '@connector/schema/connector/thing';")).toHaveLength(1);
    expect(at('libs/connector/src/transitions/a.step.ts', "import { runFact } from '@connector/schema/runtime/fact';")).toEqual([]);
    expect(at('libs/connector/src/reads/a.ts', "import { runFact } from '@connector/schema/runtime/fact';")).toEqual([]);
    expect(at('libs/runtime/src/reads/a.ts', '// con_thing is not ours')).toEqual([]);
  });

  it('named: planted DDL outside the schema and the migrator', () => {
    const create = ["const a = 'CREATE ", "TABLE x (a INT)';"].join('');
    expect(ddlElsewhere([planted('libs/connector/src/a.ts', create)])).toEqual(['libs/connector/src/a.ts has DDL']);
    expect(ddlElsewhere([planted('apps/migrate/main.ts', create)])).toEqual([]);
  });

  it('one owner: every table has its owner’s prefix and is declared once (con:INV-04)', async () => {
    const { tables } = await model();
    expect(misnamed(tables)).toEqual([]);
    const names = tables.map((one) => one.table.name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('one owner: no file speaks of another owner’s table that its paths do not list (con:INV-04)', async () => {
    expect(foreignTables(await model(), repository())).toEqual([]);
  });

  it('all used: every table has a production writer and a production reader, and every step a table (con:INV-22, con:LAY-19)', async () => {
    const now = await model();
    expect([...unknownTables(now), ...unwritten(now), ...unread(now, repository())]).toEqual([]);
  });

  it('none: DDL stands in the schema and the migrator alone (con:INV-22, cat:INT-25)', () => {
    expect(ddlElsewhere(repository())).toEqual([]);
  });
});
