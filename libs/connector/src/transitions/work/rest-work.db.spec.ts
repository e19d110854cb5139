import type { Instant } from '@connector/kernel/brand';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { readDueWork } from '../../reads/serving/due-work';
import { connectorDoors } from '../../model/paths';
import { raiseWork } from '../../fences/account-work';
import { restWork } from './rest-work.tx';

let schema: TestSchema;
let served: ServedAccount;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme', 'south/acme'])) as [ServedAccount];
});
afterAll(() => schema.close());

const raise = (): Promise<void> => schema.db.fenced(connectorDoors['halt-gate'], (tx) => raiseWork(tx, 'execution', [served.account]));
const rest = (producedSeen: bigint, dueAt: Instant | null = null): Promise<{ readonly kind: string }> =>
  restWork(schema.db, { stage: 'execution', account: served.account, producedSeen, dueAt });

describe('rest-work', () => {
  it('rested: an account with nothing more to do is due no longer, and due again when work is produced', async () => {
    await raise();
    expect(await readDueWork(schema.db, 'execution')).toMatchObject([{ account: 'north/acme', produced: 1n }]);
    expect(await rest(1n)).toEqual({ kind: 'rested' });
    expect(await readDueWork(schema.db, 'execution')).toEqual([]);
    await raise();
    expect(await readDueWork(schema.db, 'execution')).toMatchObject([{ account: 'north/acme', produced: 2n }]);
  });

  it('more-produced: what was produced after the look keeps the account due', async () => {
    await raise();
    await raise();
    expect(await rest(1n)).toEqual({ kind: 'more-produced' });
    expect(await readDueWork(schema.db, 'execution')).toMatchObject([{ account: 'north/acme', produced: 2n }]);
  });

  it('rested: an account rests until a time that is yet to come, and is due at one that has passed; again changes nothing', async () => {
    await raise();
    expect(await rest(1n, '2999-01-01T00:00:00.000000Z' as Instant)).toEqual({ kind: 'rested' });
    expect(await readDueWork(schema.db, 'execution')).toEqual([]);
    expect(await rest(1n, '2020-01-01T00:00:00.000000Z' as Instant)).toEqual({ kind: 'rested' });
    expect(await rest(1n, '2020-01-01T00:00:00.000000Z' as Instant)).toEqual({ kind: 'rested' });
    expect(await readDueWork(schema.db, 'execution')).toHaveLength(1);
    expect(await readDueWork(schema.db, 'materialize')).toEqual([]);
  });
});
