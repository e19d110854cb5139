import { mainSchema, type TestSchema } from '@connector/testing/database';
import { ACCOUNT, credentialInput } from './control.fixture';
import { countOf } from '@connector/testing/fixtures/serving';
import { Signals } from '@connector/testing/signals';
import { addChannelKey } from './add-channel-key.tx';
import { authorCredential } from './author-credential.tx';

let schema: TestSchema;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

const KEY = {
  account: ACCOUNT,
  channel: 'hook',
  keyVersion: 1,
  scheme: 's',
  secretPath: 'north/primary',
  secretVersion: '1',
  endsAt: null,
};

describe('one secret version for two things', () => {
  it.each(['author-credential', 'add-channel-key'])('refused: when %s commits first the other one waits and is refused', async (first) => {
    const signals = new Signals();
    const slow = schema.another(signals.hook);
    const stop = signals.stopAt(`${first}/commit`);
    const credentialFirst = first === 'author-credential';
    const leading = credentialFirst ? authorCredential(slow, credentialInput()) : addChannelKey(slow, KEY);
    await stop.reached;
    const following = credentialFirst ? addChannelKey(schema.db, KEY) : authorCredential(schema.db, credentialInput());
    stop.release();
    expect((await leading).kind).toBe(credentialFirst ? 'authored' : 'added');
    expect((await following).kind).toBe(credentialFirst ? 'secret-is-credential' : 'secret-is-channel-key');
    expect(await countOf(schema, 'ctl_secret_use')).toBe(1);
  });
});
