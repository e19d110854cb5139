import type { GateFence } from '@connector/kernel/brand';
import type { CredentialGenerationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { authored, enabledCredential, granted, registered } from '@connector/testing/fixtures/outbound';
import { createEffectsOfFeed } from './create-effects.tx';

let schema: TestSchema;
let served: ServedAccount;
let credential: CredentialGenerationId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
  credential = await enabledCredential(schema);
});
afterAll(() => schema.close());

const effects = () => schema.sql('SELECT state, attempt_count, ready_account, due_at <= NOW(6) AS due FROM con_remote_effect');
const PREPARED = { state: Buffer.from('prepared'), attempt_count: 0, ready_account: Buffer.from('north/acme'), due: 1 };

describe('create-effects', () => {
  it('created: con:EMAT-W commands become prepared effects, due at once, though no adapter is registered', async () => {
    for (const sequence of [1, 2]) await authored(schema, served, sequence, credential);
    expect(await createEffectsOfFeed(schema.db, served, 200)).toEqual({ kind: 'created', count: 2 });
    expect(await effects()).toEqual([PREPARED, PREPARED]);
    expect(await schema.sql('SELECT next_seq FROM con_effect_feed')).toEqual([{ next_seq: '3' }]);
  });

  it('created: con:EMAT-O again after an unknown COMMIT meets no command twice', async () => {
    for (const sequence of [1, 2, 3]) await authored(schema, served, sequence, credential);
    expect(await createEffectsOfFeed(schema.db, served, 2)).toEqual({ kind: 'created', count: 2 });
    expect(await createEffectsOfFeed(schema.db, served, 2)).toEqual({ kind: 'created', count: 1 });
    expect(await createEffectsOfFeed(schema.db, served, 2)).toEqual({ kind: 'created', count: 0 });
    expect(await effects()).toHaveLength(3);
  });

  it('created: what it made is granted as if the grant had made it', async () => {
    const effectId = await authored(schema, served, 1, credential);
    await createEffectsOfFeed(schema.db, served, 200);
    expect(await granted(schema.db, served, await registered(schema))).toMatchObject([{ effectId }]);
  });

  it.each(['halting_v2', 'v2_halted'])('not-serving: con:EMAT-P nothing is written while the gate is %s', async (mode) => {
    await authored(schema, served, 1, credential);
    await schema.sql('UPDATE con_serving_gate SET mode = ?', [mode]);
    expect(await createEffectsOfFeed(schema.db, served, 200)).toEqual({ kind: 'not-serving', mode });
    expect(await effects()).toEqual([]);
  });

  it('fence-moved: a basis from before the gate moved writes nothing', async () => {
    await authored(schema, served, 1, credential);
    const basis = { ...served, fence: (served.fence - 1n) as GateFence };
    expect(await createEffectsOfFeed(schema.db, basis, 200)).toEqual({ kind: 'fence-moved', fence: served.fence });
    expect(await effects()).toEqual([]);
  });

  it('epoch-not-active: an epoch that drains writes nothing', async () => {
    await authored(schema, served, 1, credential);
    await schema.sql("UPDATE con_epoch SET state = 'draining'");
    expect(await createEffectsOfFeed(schema.db, served, 200)).toEqual({ kind: 'epoch-not-active', state: 'draining' });
    expect(await effects()).toEqual([]);
  });

  it('refused: no more commands than a door carries', () => {
    expect(() => createEffectsOfFeed(schema.db, served, 201)).toThrow(/1 to 200/);
  });
});
