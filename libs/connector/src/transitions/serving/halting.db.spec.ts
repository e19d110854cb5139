import type { GateFence } from '@connector/kernel/brand';
import { type CredentialGenerationId, OperationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { delivery, item, ROUTE } from '@connector/testing/fixtures/delivery';
import { readyExecutions, receiptFor } from '@connector/testing/fixtures/execution';
import {
  authored,
  CONFIRMED,
  enabledCredential,
  granted,
  registered,
  sending,
  settlement,
  type HeldPermit,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import { claimExecutions } from '../execution/claim-executions.tx';
import { recordResults } from '../execution/record-results.tx';
import { admitAndMaterialize, prepareDelivery } from '../inbound/admit-and-materialize.tx';
import { finalizeEffects } from '../outbound/finalize-effects.tx';
import { grant } from '../outbound/grant.tx';
import { settlePermits } from '../outbound/settle-permits.tx';
import { concludeHalt } from './conclude-halt.tx';
import { haltGate } from './halt-gate.tx';

let schema: TestSchema;
let served: ServedAccount;
let holder: TestHolder;
let credential: CredentialGenerationId;
let permit: HeldPermit;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
  holder = await registered(schema);
  credential = await enabledCredential(schema);
  await authored(schema, served, 1, credential);
  [permit] = (await granted(schema.db, served, holder)) as readonly [HeldPermit];
});
afterAll(() => schema.close());

const move = (fence: bigint) => ({
  operationId: OperationId.mint(),
  account: served.account,
  expectedFence: fence as GateFence,
  by: 'ops',
  reason: 'maintenance',
});
const conclude = () => concludeHalt(schema.db, move(8n));
const held = { kind: 'open-permits', count: 1 };

/** The one permit is used, and the account halted while that goes on. */
async function halted(): Promise<void> {
  await haltGate(schema.db, move(7n));
  const token = await sending(schema.db, holder, credential, [permit]);
  await settlePermits(schema.db, settlement(served, holder, token, [permit], CONFIRMED));
  expect(await conclude()).toMatchObject({ kind: 'halted' });
}

describe('a gate that halts', () => {
  it('sent and settled: con:GATE-25 an open permit makes its one call under halting_v2, and holds the account until it has', async () => {
    await haltGate(schema.db, move(7n));
    expect(await conclude()).toEqual(held);
    const token = await sending(schema.db, holder, credential, [permit]);
    expect(await conclude()).toEqual(held);
    const settled = await settlePermits(schema.db, settlement(served, holder, token, [permit], CONFIRMED));
    expect(settled).toEqual([{ kind: 'settled', effect: 'remote_confirmed' }]);
    expect(await conclude()).toMatchObject({ kind: 'halted' });
  });

  it('finished: con:GATE-26 under v2_halted results are recorded and confirmed effects finalized', async () => {
    const [execution] = await readyExecutions(schema, served, ['a']);
    await claimExecutions(schema.db, served, { claimant: 'c-1', leaseMs: 60_000, executions: execution ? [execution] : [] });
    await halted();
    const receipt = await receiptFor(schema, execution as NonNullable<typeof execution>);
    expect(await recordResults(schema.db, served.account, [receipt])).toEqual([{ kind: 'recorded' }]);
    const finalize = { operationId: OperationId.mint(), account: served.account, effectIds: [permit.effectId] };
    expect(await finalizeEffects(schema.db, finalize)).toEqual([{ kind: 'finalized' }]);
  });

  it('not-serving: con:GATE-26 con:HLTD-O under v2_halted nothing is admitted and no call becomes possible', async () => {
    await authored(schema, served, 2, credential);
    await halted();
    const basis = { ...served, fence: 9n as GateFence };
    const refused = { kind: 'not-serving', mode: 'v2_halted' };
    const prepared = prepareDelivery(basis, ROUTE, delivery(basis, 'msg_1', 'body'), { kind: 'items', items: [item(0, 'b')] });
    expect(await admitAndMaterialize(schema.db, basis, ROUTE, [prepared])).toEqual([refused]);
    const candidates = { effectIds: [permit.effectId], credentialGenerationIds: [credential] };
    expect(await grant(schema.db, { basis, holder, slots: 10, candidates, newCommands: 10 })).toEqual(refused);
    const permits = await schema.sql('SELECT open_account, state FROM con_dispatch_permit');
    expect(permits.map((row) => [row['open_account'], String(row['state'])])).toEqual([[null, 'returned']]);
  });
});
