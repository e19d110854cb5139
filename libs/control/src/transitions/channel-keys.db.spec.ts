import type { Instant } from '@connector/kernel/brand';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { ACCOUNT } from './control.fixture';
import { countOf } from '@connector/testing/fixtures/serving';
import { readActiveChannelKeys } from '../reads/channel-keys';
import { addChannelKey, type AddChannelKey, type AddedChannelKey } from './add-channel-key.tx';
import { retireChannelKey, type RetiredChannelKey } from './retire-channel-key.tx';

let schema: TestSchema;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

const LATER = '2999-01-01T00:00:00.000000Z' as Instant;
const PAST = '2020-01-01T00:00:00.000000Z' as Instant;
const add = (keyVersion: number, change: Partial<AddChannelKey> = {}): Promise<AddedChannelKey> =>
  addChannelKey(schema.db, {
    account: ACCOUNT,
    channel: 'hook',
    keyVersion,
    scheme: 'standard-webhooks',
    secretPath: 'north/hook',
    secretVersion: `${keyVersion}`,
    endsAt: null,
    ...change,
  });
const retire = (keyVersion: number): Promise<RetiredChannelKey> =>
  retireChannelKey(schema.db, { account: ACCOUNT, channel: 'hook', keyVersion, reason: 'rotated' });
const active = async (): Promise<unknown> => {
  const found = await readActiveChannelKeys(schema.db, ACCOUNT, 'hook');
  return found && [found.revision, ...found.keys.map(({ keyVersion }) => keyVersion)];
};

describe('add-channel-key', () => {
  it('added: each key raises the revision by one, and all of them verify', async () => {
    expect(await add(1)).toEqual({ kind: 'added', revision: 1n });
    expect(await add(2)).toEqual({ kind: 'added', revision: 2n });
    expect(await active()).toEqual([2n, 1, 2]);
  });

  it('already-added: the same key again is given its own revision and raises nothing', async () => {
    await add(1, { endsAt: LATER });
    await add(2);
    expect(await add(1, { endsAt: LATER })).toEqual({ kind: 'already-added', revision: 1n });
    expect(await active()).toEqual([2n, 1, 2]);
  });

  it.each<Partial<AddChannelKey>>([{ scheme: 'other' }, { secretVersion: '9' }, { secretPath: 'other' }, { endsAt: LATER }])(
    'conflicting-key: a version is used once for ever (%p)',
    async (change) => {
      await add(1);
      expect(await add(1, change)).toEqual({ kind: 'conflicting-key' });
      expect(await countOf(schema, 'ctl_secret_use')).toBe(1);
      expect(await active()).toEqual([1n, 1]);
    },
  );

  it('added: of concurrent keys each gets a revision of its own', async () => {
    const revisions = (await Promise.all([add(1), add(2), add(3)])).map((answer) => 'revision' in answer && answer.revision);
    expect(revisions.sort()).toEqual([1n, 2n, 3n]);
  });
});

describe('retire-channel-key', () => {
  it('retired: it verifies no more, the revision rises, and the last one leaves an empty set with its revision', async () => {
    await add(1);
    await add(2);
    expect(await retire(1)).toEqual({ kind: 'retired', revision: 3n });
    expect(await active()).toEqual([3n, 2]);
    await retire(2);
    expect(await active()).toEqual([4n]);
  });

  it('already-retired: again changes nothing', async () => {
    await add(1);
    await retire(1);
    await add(2);
    expect(await retire(1)).toEqual({ kind: 'already-retired', revision: 2n });
    expect(await active()).toEqual([3n, 2]);
  });

  it('no-key: there is no such channel or version', async () => {
    expect(await retire(1)).toEqual({ kind: 'no-key' });
    await add(1);
    expect(await retire(2)).toEqual({ kind: 'no-key' });
    expect(await active()).toEqual([1n, 1]);
  });
});

describe('read-active-channel-keys', () => {
  it('undefined: the channel never had a key', async () => {
    expect(await active()).toBeUndefined();
  });

  it('found: a key whose end has passed by the database’s clock verifies nothing', async () => {
    await add(1, { endsAt: PAST });
    await add(2, { endsAt: LATER });
    expect(await active()).toEqual([2n, 2]);
  });

  it.each([
    ['-9 DAY', '1 DAY', true],
    ['-8 DAY', '2 DAY', false],
  ])('found: added %s ago with %s left, its last tenth has begun: %s (PUB-SIG-01)', async (since, left, ending) => {
    await add(1, { endsAt: LATER });
    const set = `UPDATE ctl_channel_key SET added_at = NOW(6) + INTERVAL ${since}, ends_at = NOW(6) + INTERVAL ${left} - INTERVAL 1 MINUTE`;
    await schema.sql(set.replace('- INTERVAL 1 MINUTE', ending ? '- INTERVAL 1 MINUTE' : '+ INTERVAL 1 MINUTE'));
    const found = await readActiveChannelKeys(schema.db, ACCOUNT, 'hook');
    expect(found?.keys.map((key) => key.ending)).toEqual([ending]);
  });

  it('found: a key without an end is never in its last tenth', async () => {
    await add(1);
    expect((await readActiveChannelKeys(schema.db, ACCOUNT, 'hook'))?.keys[0]).toEqual({
      keyVersion: 1,
      scheme: 'standard-webhooks',
      secretPath: 'north/hook',
      secretVersion: '1',
      endsAt: null,
      ending: false,
    });
  });
});
