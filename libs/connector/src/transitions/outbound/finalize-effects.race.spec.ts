import { type CredentialGenerationId, type EffectId, OperationId } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import {
  authored,
  CONFIRMED,
  enabledCredential,
  granted,
  inOrder,
  registered,
  sending,
  settlement,
  type HeldPermit,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import { finalizeEffects, type FinalizeEffect } from './finalize-effects.tx';
import { settlePermits } from './settle-permits.tx';

let schema: TestSchema;
let served: ServedAccount;
let holder: TestHolder;
let credential: CredentialGenerationId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
  holder = await registered(schema);
  credential = await enabledCredential(schema);
});
afterAll(() => schema.close());

/** Permits for this many new commands. */
async function permits(count = 1): Promise<readonly HeldPermit[]> {
  for (let sequence = 1; sequence <= count; sequence += 1) await authored(schema, served, sequence, credential);
  return granted(schema.db, served, holder);
}

/** The first has read the links and written nothing; whoever does not wait for its turn would finish meanwhile and take the same place. */
const TURN = { first: 'finalize-effects/insert con_operation', second: 'finalize-effects/lock con_account_work' };
const SAME = { first: 'finalize-effects/commit', second: 'finalize-effects/lock con_remote_effect' };
const finalize = (db: Db, effectId: EffectId): Promise<readonly FinalizeEffect[]> =>
  finalizeEffects(db, { operationId: OperationId.mint(), account: served.account, effectIds: [effectId] });

describe('finalize-effects race', () => {
  it.each([
    [0, 1],
    [1, 0],
  ])(
    'link-conflict: con:FIN-L of two finalizers that want one remote record, the first to commit links it (%i first)',
    async (first, second) => {
      const held = await permits(2);
      const token = await sending(schema.db, holder, credential, held);
      await settlePermits(schema.db, settlement(served, holder, token, held, CONFIRMED));
      const ids = held.map(({ effectId }) => effectId);
      const answers = await inOrder(
        schema,
        TURN,
        (db) => finalize(db, ids[first] as EffectId),
        (db) => finalize(db, ids[second] as EffectId),
      );
      expect(answers).toEqual([[{ kind: 'finalized' }], [{ kind: 'link-conflict' }]]);
      expect(await schema.sql('SELECT remote_identity FROM con_remote_link')).toHaveLength(1);
    },
  );

  it('finalized: two finalizers of one effect make one link', async () => {
    const held = await permits();
    const token = await sending(schema.db, holder, credential, held);
    await settlePermits(schema.db, settlement(served, holder, token, held, CONFIRMED));
    const [{ effectId }] = held as [HeldPermit];
    const both = await inOrder(
      schema,
      SAME,
      (db) => finalize(db, effectId),
      (db) => finalize(db, effectId),
    );
    expect(both).toEqual([[{ kind: 'finalized' }], [{ kind: 'finalized' }]]);
    expect(await schema.sql('SELECT * FROM con_remote_link')).toHaveLength(1);
  });
});
