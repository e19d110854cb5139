import type { GateFence } from '@connector/kernel/brand';
import type { ReceiptId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { ROUTE, delivery, item } from '@connector/testing/fixtures/delivery';
import type { RefusedItem } from '../../model/inbound/delivery';
import { admitAndMaterialize, prepareDelivery } from './admit-and-materialize.tx';
import { materializeReceipt, type MaterializeReceipt } from './materialize-receipts.tx';

let schema: TestSchema;
let served: ServedAccount;
let receiptId: ReceiptId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
  const stored = prepareDelivery(served, ROUTE, delivery(served, 'msg_1', 'many'), { kind: 'deferred' });
  await admitAndMaterialize(schema.db, served, ROUTE, [stored]);
  receiptId = stored.delivery.receiptId;
});
afterAll(() => schema.close());

const KEYS = ['a', 'b', 'c', 'd', 'e'];
function chunk(from: number, next: number, basis = served): Promise<MaterializeReceipt> {
  const items = KEYS.map((key, ordinal) => item(ordinal, key)).slice(from, next);
  return materializeReceipt(schema.db, basis, { receiptId, route: ROUTE, from, next, last: next === KEYS.length, items });
}
async function count(table: string): Promise<number> {
  return Number((await schema.sql(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.['n']);
}
const progress = () => schema.sql('SELECT next_ordinal, ready_account IS NULL AS done FROM con_materialization');

describe('materialize-receipts', () => {
  it('materialized: con:OMAT-W con:OMAT-O chunk by chunk, and after the last one the receipt waits for nothing', async () => {
    expect(await chunk(0, 3)).toEqual({ kind: 'materialized', events: 3, repeated: 0, refused: 0, superseded: 0 });
    expect(await progress()).toEqual([{ next_ordinal: 3, done: 0 }]);
    expect(await chunk(3, 5)).toEqual({ kind: 'materialized', events: 2, repeated: 0, refused: 0, superseded: 0 });
    expect(await progress()).toEqual([{ next_ordinal: 5, done: 1 }]);
    expect([await count('con_component'), await count('con_event'), await count('con_execution')]).toEqual([5, 5, 5]);
  });

  it('moved: con:CRASH-02 a chunk that committed before its answer was lost makes nothing twice', async () => {
    await chunk(0, 3);
    expect(await chunk(0, 3)).toEqual({ kind: 'moved', nextOrdinal: 3 });
    await chunk(3, 5);
    expect(await chunk(3, 5)).toEqual({ kind: 'moved', nextOrdinal: null });
    expect(await count('con_component')).toBe(5);
  });

  it('moved: a receipt that was materialized at its admission has nothing to do', async () => {
    await schema.sql('DELETE FROM con_materialization');
    expect(await chunk(0, 3)).toEqual({ kind: 'moved', nextOrdinal: null });
    expect(await count('con_component')).toBe(0);
  });

  it('materialized: an item that is refused is stored by name, and one whose event is there already repeats it', async () => {
    await admitAndMaterialize(schema.db, served, ROUTE, [
      prepareDelivery(served, ROUTE, delivery(served, 'msg_2', 'other'), { kind: 'items', items: [item(0, 'a')] }),
    ]);
    const bad: RefusedItem = { kind: 'refused', ordinal: 1, code: 'wrong-type', message: 'seq is no integer' };
    const answer = await materializeReceipt(schema.db, served, {
      ...{ receiptId, route: ROUTE, from: 0, next: 3, last: true },
      items: [item(0, 'a'), bad, item(2, 'c')],
    });
    expect(answer).toEqual({ kind: 'materialized', events: 1, repeated: 1, refused: 1, superseded: 0 });
    expect([await count('con_event'), await count('con_component'), await count('con_component_refusal')]).toEqual([2, 3, 1]);
  });

  it('not-serving, epoch-not-active, fence-moved: con:OMAT-P under any of them nothing is made', async () => {
    expect((await chunk(0, 3, { ...served, fence: 1n as GateFence })).kind).toBe('fence-moved');
    await schema.sql("UPDATE con_epoch SET state = 'draining'");
    expect((await chunk(0, 3)).kind).toBe('epoch-not-active');
    await schema.sql("UPDATE con_serving_gate SET mode = 'halting_v2'");
    expect((await chunk(0, 3)).kind).toBe('not-serving');
    expect([await count('con_component'), await count('con_event')]).toEqual([0, 0]);
  });
});
