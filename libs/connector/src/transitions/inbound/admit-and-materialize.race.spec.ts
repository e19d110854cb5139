import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { ROUTE, delivery, item } from '@connector/testing/fixtures/delivery';
import { Signals, somebodyWaitsAt } from '@connector/testing/signals';
import type { Db } from '@connector/platform/db/db';
import { admitAndMaterialize, prepareDelivery, type Admission, type PreparedDelivery } from './admit-and-materialize.tx';

let schema: TestSchema;
let served: ServedAccount;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
});
afterAll(() => schema.close());

function prepared(body: string): PreparedDelivery {
  return prepareDelivery(served, ROUTE, delivery(served, 'msg_1', body), { kind: 'items', items: [item(0, body)] });
}
async function admit(db: Db, one: PreparedDelivery): Promise<Admission> {
  return (await admitAndMaterialize(db, served, ROUTE, [one]))[0] as Admission;
}

/** `first` holds the gate at its commit while `second` comes; then `first` goes on. */
async function inOrder(first: PreparedDelivery, second: PreparedDelivery): Promise<readonly Admission[]> {
  const signals = new Signals();
  const stop = signals.stopAt('admit-and-materialize/commit');
  const one = admit(schema.another(signals.hook), first);
  await stop.reached;
  let secondDone = false;
  const two = admit(schema.another(), second).then((answer) => {
    secondDone = true;
    return answer;
  });
  await somebodyWaitsAt(schema, 'lock con_serving_gate');
  expect(secondDone).toBe(false);
  stop.release();
  return Promise.all([one, two]);
}

describe('admit-and-materialize › race: admit | admit, same key', () => {
  it('admitted: con:ADM-L the one that commits first; the other one, same bytes, is redelivered with its receipt', async () => {
    const [a, b] = [prepared('same'), prepared('same')];
    for (const [first, second] of [
      [a, b],
      [b, a],
    ] as const) {
      await schema.sql('DELETE FROM con_admission_key');
      for (const table of ['con_receipt', 'con_component', 'con_event', 'con_projection', 'con_execution'])
        await schema.sql(`DELETE FROM ${table}`);
      const receiptId = first.delivery.receiptId;
      expect(await inOrder(first, second)).toEqual([
        { kind: 'admitted', receiptId },
        { kind: 'redelivered', receiptId },
      ]);
    }
  });

  it('conflicting-redelivery: other bytes that come while the first commits are refused, whichever of the two is first', async () => {
    for (const [one, two] of [
      ['x', 'y'],
      ['y', 'x'],
    ] as const) {
      await schema.reset();
      [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
      const answers = await inOrder(prepared(one), prepared(two));
      expect(answers.map(({ kind }) => kind)).toEqual(['admitted', 'conflicting-redelivery']);
      expect(await schema.sql('SELECT 1 FROM con_conflicting_redelivery')).toHaveLength(1);
    }
  });

  it('conflicting-redelivery: con:ADM-L the same other bytes twice at once are both refused, and kept once', async () => {
    await admit(schema.db, prepared('x'));
    const answers = await inOrder(prepared('y'), prepared('y'));
    expect(answers.map(({ kind }) => kind)).toEqual(['conflicting-redelivery', 'conflicting-redelivery']);
    expect(await schema.sql('SELECT 1 FROM con_conflicting_redelivery')).toHaveLength(1);
  });

  it('admitted: con:UNIQ-01 of one hundred callers at once exactly one, ninety-nine are redelivered, one receipt', async () => {
    const dbs = [schema.db, schema.another(), schema.another()];
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => admit(dbs[index % 3] as Db, prepared('same'))));
    expect(answers.filter(({ kind }) => kind === 'admitted')).toHaveLength(1);
    expect(answers.filter(({ kind }) => kind === 'redelivered')).toHaveLength(99);
    expect(new Set(answers.map((answer) => ('receiptId' in answer ? answer.receiptId : '')))).toHaveProperty('size', 1);
    expect((await schema.sql('SELECT COUNT(*) AS n FROM con_receipt'))[0]?.['n']).toBe('1');
  });
});
