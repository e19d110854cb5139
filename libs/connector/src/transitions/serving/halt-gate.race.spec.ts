import type { GateFence } from '@connector/kernel/brand';
import { OperationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { countOf, serviceRow } from '@connector/testing/fixtures/serving';
import { Signals } from '@connector/testing/signals';
import { connectorDoors } from '../../model/paths';
import { lockServingGate } from '../../fences/serving-gate';
import type { GateMove } from './gate-move';
import { haltGate } from './halt-gate.tx';

let schema: TestSchema;
let served: ServedAccount;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  await serviceRow(schema);
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
});
afterAll(() => schema.close());

const move = (by: string): GateMove => ({
  operationId: OperationId.mint(),
  account: served.account,
  expectedFence: 7n as GateFence,
  by,
  reason: 'race',
});

describe('halt-gate race', () => {
  it.each(['first', 'second'])('not-in-mode: con:HALT-L of two halts the one that comes after the %s commit lands nothing', async (who) => {
    const signals = new Signals();
    const slow = schema.another(signals.hook);
    const stop = signals.stopAt('halt-gate/commit');
    const [winner, loser] = who === 'first' ? ['a', 'b'] : ['b', 'a'];
    const won = haltGate(slow, move(winner));
    await stop.reached;
    const lost = haltGate(schema.db, move(loser));
    stop.release();
    expect(await won).toMatchObject({ kind: 'halting', fence: 8n });
    expect(await lost).toEqual({ kind: 'not-in-mode', mode: 'halting_v2' });
    const [row] = await schema.sql('SELECT fence, changed_by FROM con_serving_gate');
    expect([String(row?.['fence']), String(row?.['changed_by'])]).toEqual(['8', winner]);
  });

  it('halting: con:HALT-L the same operation from two places at once is one move with one answer', async () => {
    const once = move('a');
    const answers = await Promise.all([1, 2, 3, 4].map(() => haltGate(schema.db, once)));
    expect(
      new Set(answers.map((answer) => JSON.stringify(answer, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))))
        .size,
    ).toBe(1);
    expect(await countOf(schema, 'con_audit_outbox')).toBe(1);
  });

  it.each(['fence', 'halt'])('not-serving: con:HALT-X when the %s comes first the other waits for its commit', async (first) => {
    const signals = new Signals();
    const slow = schema.another(signals.hook);
    const fence = (db = schema.db): Promise<{ readonly kind: string }> =>
      db.fenced(connectorDoors['claim-executions'], (tx) => lockServingGate(tx, served));
    const stop = signals.stopAt(first === 'fence' ? 'claim-executions/commit' : 'halt-gate/commit');
    const leading = first === 'fence' ? fence(slow) : haltGate(slow, move('a'));
    await stop.reached;
    const following = first === 'fence' ? haltGate(schema.db, move('a')) : fence();
    stop.release();
    expect((await leading).kind).toBe(first === 'fence' ? 'serving' : 'halting');
    expect((await following).kind).toBe(first === 'fence' ? 'halting' : 'not-serving');
  });
});
