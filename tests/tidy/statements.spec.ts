import { doors, writePaths } from '@connector/kernel/paths';
import { table } from '@connector/kernel/table';
import { int } from '@connector/kernel/column';
import { unlistedStatements } from './checks/statements';
import { model, type Model } from './model';
import { planted, repository } from './repo';

const paths = writePaths({
  'close-things': { code: 'CLS', about: '', again: '', steps: ['lock con_thing', 'update con_thing#close', 'insert con_note?'] },
});
const owned = { owner: 'connector' };
const declare = (name: string, constant: string) => ({
  ...owned,
  constant,
  table: table(name, { about: '', rank: null, columns: { a: int() }, primary: ['a'] }),
});
const small: Model = {
  paths: [{ ...paths['close-things'], ...owned, name: 'close-things' }],
  doors: Object.values(doors(paths, { close: { paths: ['close-things'], by: ['ingress'] } })).map((door) => ({ ...door, ...owned })),
  tables: [declare('con_thing', 'conThing'), declare('con_note', 'conNote')] as unknown as Model['tables'],
};

const LOCK =
  "export const LOCK = lockRows(conThing, ['a'], 'WHERE a = :a');\nexport const take = (tx) => tx.lock(LOCK);\nexport const OTHER = readRows(conNote, [], '');";
const STEP =
  "const CLOSE = updateRows(conThing, 'SET a = 1', 'close');\nexport async function close(tx) { await tx.update(CLOSE); await tx.insert(conNote, []); }";
const DOOR =
  "import { take } from '../fences/thing';\nimport { close } from './close-things.step';\nexport const door = (db) => db.fenced(() => { take(); close(); });";
const tree = (step: string, door: string) => [
  planted('libs/connector/src/fences/thing.ts', LOCK),
  planted('libs/connector/src/transitions/close-things.step.ts', step),
  planted('libs/connector/src/transitions/close.tx.ts', door),
];

describe('statements', () => {
  it('let be: a door that runs what its paths list, over the functions that it uses', () => {
    expect(unlistedStatements(small, tree(STEP, DOOR))).toEqual([]);
  });

  it('named: a planted statement that no row lists, and a listed one that nothing runs', () => {
    expect(unlistedStatements(small, tree(STEP.replace("'close'", "'shut'"), DOOR))).toEqual([
      'libs/connector/src/transitions/close-things.step.ts runs update con_thing#shut, which its row does not list',
      'libs/connector/src/transitions/close.tx.ts runs update con_thing#shut, which its row does not list',
      'libs/connector/src/transitions/close.tx.ts never runs update con_thing#close, which its row lists',
    ]);
    expect(unlistedStatements(small, tree(STEP, DOOR.replace('take(); ', '')))).toEqual([
      'libs/connector/src/transitions/close.tx.ts never runs lock con_thing, which its row lists',
    ]);
    expect(unlistedStatements(small, tree(STEP, DOOR.replace('take }', 'take, OTHER }').replace('take()', 'take(OTHER)')))).toEqual([
      'libs/connector/src/transitions/close.tx.ts runs read con_note, which its row does not list',
    ]);
  });

  it('named: a planted step of some runs only that its door never runs', () => {
    expect(unlistedStatements(small, tree(STEP.replace(' await tx.insert(conNote, []);', ''), DOOR))).toEqual([
      'libs/connector/src/transitions/close.tx.ts never runs insert con_note, which its row lists',
    ]);
  });

  it('exactly: the statements of every door are the steps that its paths list', async () => {
    expect(unlistedStatements(await model(), repository())).toEqual([]);
  });
});
