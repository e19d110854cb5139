import { EventId, ExecutionId, ProjectionId, type ReceiptId } from '@connector/kernel/ids';
import type { Json } from '@connector/kernel/jcs';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { delivery, item, ROUTE } from '@connector/testing/fixtures/delivery';
import { childrenOf } from '../../model/inbound/children';
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

const ITEMS = ['a', 'b', 'c'].map((key, ordinal) => item(ordinal, key));
function fill(from: number, next: number): Promise<MaterializeReceipt> {
  const last = next === ITEMS.length;
  return materializeReceipt(schema.db, served, { receiptId, route: ROUTE, from, next, last, items: ITEMS.slice(from, next) });
}

const CHILDREN = ['con_component', 'con_event', 'con_projection', 'con_execution', 'con_component_refusal'];
/** Every child row, column by column. */
async function children(): Promise<Record<string, readonly string[]>> {
  const rows = CHILDREN.map(async (table) => [
    table,
    (await schema.sql(`SELECT * FROM ${table}`)).map((row) => JSON.stringify(row)).sort(),
  ]);
  return Object.fromEntries(await Promise.all(rows)) as Record<string, readonly string[]>;
}
async function idsOf(table: string, column: string): Promise<readonly string[]> {
  return (await schema.sql(`SELECT ${column} AS id FROM ${table}`)).map((row) => (row['id'] as Buffer).toString('hex')).sort();
}
const hexOf = (ids: readonly Buffer[]): readonly string[] => ids.map((id) => id.toString('hex')).sort();

/** The source event of the second item was met before, with this content. */
const met = (content: Json): Promise<unknown> =>
  admitAndMaterialize(schema.db, served, ROUTE, [
    prepareDelivery(served, ROUTE, delivery(served, 'msg_2', 'other'), { kind: 'items', items: [item(0, 'b', content)] }),
  ]);

describe('children that are missing', () => {
  it('materialized: con:INV-28 from the receipt alone, under the ids that its content gives them, whoever makes them', async () => {
    await fill(0, 1);
    const first = await children();
    expect(await fill(1, 3)).toMatchObject({ kind: 'materialized', events: 2 });
    const all = await children();
    for (const table of CHILDREN) expect(all[table]).toEqual(expect.arrayContaining([...(first[table] ?? [])]));
    const made = childrenOf({ ...served, route: ROUTE }, receiptId, ITEMS).items;
    expect(await idsOf('con_event', 'event_id')).toEqual(hexOf(made.map(({ eventId }) => EventId.bytes(eventId))));
    expect(await idsOf('con_projection', 'projection_id')).toEqual(hexOf(made.map(({ projectionId }) => ProjectionId.bytes(projectionId))));
    expect(await idsOf('con_execution', 'execution_id')).toEqual(hexOf(made.map(({ executionId }) => ExecutionId.bytes(executionId))));
  });

  it('materialized: con:INV-28 what another receipt made of the same event stays its, and takes no status from anywhere', async () => {
    await met({ key: 'b' });
    await schema.sql("UPDATE con_execution SET state = 'completed', attempt_count = 3");
    const before = await children();
    expect(await fill(0, 3)).toMatchObject({ kind: 'materialized', events: 2, repeated: 1 });
    const after = await children();
    for (const table of CHILDREN) expect(after[table]).toEqual(expect.arrayContaining([...(before[table] ?? [])]));
    const fresh = await schema.sql("SELECT state, attempt_count FROM con_execution WHERE state = 'ready'");
    expect(fresh.map((row) => row['attempt_count'])).toEqual([0, 0]);
  });

  it('refused: con:INV-28 con:OMAT-X a child that is there with other content is named, and nothing is written for the item but that', async () => {
    await met({ key: 'b', changed: true });
    const before = await children();
    expect(await fill(0, 3)).toEqual({ kind: 'materialized', events: 2, repeated: 0, refused: 1, superseded: 0 });
    const after = await children();
    const added = CHILDREN.map((table) => (after[table]?.length ?? 0) - (before[table]?.length ?? 0));
    expect(added).toEqual([2, 2, 2, 2, 1]);
    for (const table of CHILDREN) expect(after[table]).toEqual(expect.arrayContaining([...(before[table] ?? [])]));
    const [refusal] = await schema.sql('SELECT code, ordinal FROM con_component_refusal');
    expect([String(refusal?.['code']), refusal?.['ordinal']]).toEqual(['SOURCE_EVENT_CONFLICT', 1]);
  });
});
