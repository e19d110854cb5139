import { int, name, u64 } from './column';
import { guardSql, lockRows, readRows, updateRows } from './statement';
import { table } from './table';

const things = table('t_thing', {
  about: 'x',
  rank: 'gate',
  columns: { thing_key: name(8), fence: u64(), size: int() },
  primary: ['thing_key'],
});

describe('statements', () => {
  it('bind values by column, in the order of the text, and name themselves for the server', () => {
    const cas = updateRows(things, 'SET fence = :fence.next WHERE thing_key = :thing_key AND fence = :fence', 'move');
    expect(cas.bind({ thing_key: 'k', fence: 1n, 'fence.next': 2n })).toEqual({
      sql: '/* update t_thing#move */ UPDATE t_thing FORCE INDEX (PRIMARY) SET fence = ? WHERE thing_key = ? AND fence = ?',
      values: [2n, Buffer.from('k'), 1n],
      key: [Buffer.from('k')],
    });
  });

  it('expand lists, and keep the part that belongs to the key apart for the lock order', () => {
    const lock = lockRows(things, ['fence'], 'WHERE thing_key IN (:thing_key) AND size > :size');
    const bound = lock.bind({ thing_key: ['a', 'b'], size: 3 });
    expect(bound.sql).toBe('/* lock t_thing */ SELECT fence FROM t_thing WHERE thing_key IN (?, ?) AND size > ? FOR UPDATE');
    expect(bound.key).toEqual([Buffer.from('a'), Buffer.from('b')]);
  });

  it('refuse a missing, an unknown and an empty parameter, each before anything is sent', () => {
    const read = readRows(things, ['size'], 'WHERE thing_key IN (:thing_key)');
    expect(() => read.bind({})).toThrow(/:thing_key is missing/);
    expect(() => read.bind({ thing_key: 'a', size: 1 })).toThrow(/size is not in the statement/);
    expect(() => read.bind({ thing_key: [] })).toThrow(/empty list/);
    expect(() => readRows(things, ['size'], 'WHERE nothing = :nothing')).toThrow(/no column/);
  });

  it('refuse a value that the column does not hold', () => {
    const read = readRows(things, ['size'], 'WHERE thing_key = :thing_key');
    expect(() => read.bind({ thing_key: 'longer than eight' })).toThrow(/at most 8 bytes/);
  });
});

describe('SQL guard', () => {
  it.each([
    'SELECT a FROM t WHERE k = ? FOR UPDATE SKIP LOCKED',
    'SELECT a FROM t LOCK IN SHARE MODE',
    'SELECT a FROM t FOR SHARE',
    'SELECT a FROM t FOR UPDATE OF t',
    'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE',
    'INSERT INTO t (a) VALUES (?) ON DUPLICATE KEY UPDATE a = 1',
    'INSERT IGNORE INTO t (a) VALUES (?)',
    'REPLACE INTO t (a) VALUES (?)',
    'INSERT INTO t (a) VALUES (?) RETURNING a',
    'SELECT a FROM t LIMIT ?',
    'SELECT a FROM t LIMIT :size',
    "SELECT GET_LOCK('x', 1)",
    'UPDATE t JOIN u ON u.a = t.a SET t.b = 1',
    'SELECT 1; SELECT 2',
  ])('refused: %s', (sql) => {
    expect(() => guardSql(sql)).toThrow();
  });

  it('refused: an update of several tables, whatever index it is told to go by', () => {
    expect(() => updateRows(things, 'JOIN u ON u.a = t_thing.a SET t_thing.size = 1 WHERE t_thing.thing_key = :thing_key')).toThrow();
  });

  it('taken: a lock by full key, a nowait lock, a literal limit', () => {
    for (const sql of [
      'SELECT a FROM t WHERE k = ? FOR UPDATE',
      'SELECT a FROM t WHERE k = ? FOR UPDATE NOWAIT',
      'SELECT a FROM t LIMIT 10',
    ]) {
      expect(() => guardSql(sql)).not.toThrow();
    }
  });
});
