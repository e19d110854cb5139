import { Mutation } from './mutation';

const LOCK = '/* lock con_thing */ SELECT a FROM con_thing WHERE b = ? FOR UPDATE';
const SEND = "/* update con_thing#send */ UPDATE con_thing SET a = 1 WHERE b = ? AND state = 'x'";

describe('mutation', () => {
  it('changed: the named statement of the named door, and no other', () => {
    const mutation = new Mutation([{ door: 'one', statement: 'update con_thing#send', find: " AND state = 'x'", put: '' }]);
    expect(mutation.rewrite('one', SEND)).toEqual({ sql: '/* update con_thing#send */ UPDATE con_thing SET a = 1 WHERE b = ?' });
    expect(mutation.rewrite('two', SEND)).toEqual({ sql: SEND });
    expect(mutation.rewrite('one', LOCK)).toEqual({ sql: LOCK });
    expect([mutation.unmet, mutation.missing]).toEqual([[], []]);
  });

  it('read first: a plain read whose answer stands, then the lock', () => {
    const mutation = new Mutation([{ door: 'one', statement: 'lock con_thing', readFirst: true }]);
    expect(mutation.rewrite('one', LOCK)).toEqual({ sql: LOCK, before: LOCK.replace(' FOR UPDATE', '') });
  });

  it('unmet: a statement that never came', () => {
    const mutation = new Mutation([{ door: 'one', statement: 'lock con_thing', find: ' FOR UPDATE', put: '' }]);
    mutation.rewrite('two', LOCK);
    expect(mutation.unmet).toEqual(['one/lock con_thing']);
  });

  it.each([
    { door: 'one', statement: 'update con_thing#send', find: 'not there', put: '' } as const,
    { door: 'one', statement: 'update con_thing#send', readFirst: true } as const,
  ])('missing: a statement that came and has no such text (%#)', (change) => {
    const mutation = new Mutation([change]);
    mutation.rewrite('one', SEND);
    expect(mutation.missing).toEqual(['one/update con_thing#send']);
  });
});
