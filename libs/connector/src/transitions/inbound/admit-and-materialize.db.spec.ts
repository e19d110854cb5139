import type { ChannelKeyFence, GateFence } from '@connector/kernel/brand';
import { Digest } from '@connector/kernel/digest';
import { EpochId, ReceiptId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { FIRST_KEYS, serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { ROUTE, delivery, item } from '@connector/testing/fixtures/delivery';
import { CONFLICTS_OF_RECEIPT_MAX, WHOLE_BODY } from '../../model/inbound/delivery';
import type { Delivery, Extraction, ExtractedItem, RefusedItem } from '../../model/inbound/delivery';
import { admitAndMaterialize, prepareDelivery, type Admission } from './admit-and-materialize.tx';

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

const TABLES = [
  'con_admission_key',
  'con_receipt',
  'con_conflicting_redelivery',
  'con_component',
  'con_component_refusal',
  'con_event',
  'con_projection',
  'con_execution',
];

async function counts(): Promise<Record<string, number>> {
  const entries = await Promise.all(
    TABLES.map(async (table) => [table.slice(4), Number((await schema.sql(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.['n'])] as const),
  );
  return Object.fromEntries(entries.filter(([, count]) => count > 0));
}

const conflicts = () => schema.sql('SELECT * FROM con_conflicting_redelivery');

type Items = readonly (ExtractedItem | RefusedItem)[];
async function admit(one: Delivery, items: Items | 'deferred', basis = served): Promise<Admission> {
  return (await admitAll([[one, items]], basis))[0] as Admission;
}
function admitAll(all: readonly (readonly [Delivery, Items | 'deferred'])[], basis = served): Promise<readonly Admission[]> {
  const prepared = all.map(([one, items]) => {
    const extraction: Extraction = items === 'deferred' ? { kind: 'deferred' } : { kind: 'items', items };
    return prepareDelivery(basis, ROUTE, one, extraction);
  });
  return admitAndMaterialize(schema.db, basis, ROUTE, prepared);
}

/** The account's gate moved to another active epoch, as a succession leaves it. */
async function newEpoch(): Promise<ServedAccount> {
  const moved = { ...served, epochId: EpochId.mint(), epochDigest: Digest.sha256(Buffer.from('next')), fence: 8n as GateFence };
  const values = [EpochId.bytes(moved.epochId), Digest.bytes(moved.epochDigest)];
  await schema.sql("INSERT INTO con_epoch (epoch_id, epoch_digest, state) VALUES (?, ?, 'active')", values);
  await schema.sql('UPDATE con_serving_gate SET epoch_id = ?, epoch_digest = ?, fence = 8', values);
  return moved;
}

describe('admit-and-materialize', () => {
  it('admitted: con:ADM-W con:OMAT-W stores key, receipt, component, event, projection and a ready execution in one commit', async () => {
    const one = delivery(served, 'msg_1', '{"a":1}');
    expect(await admit(one, [item(0, 'a/1')])).toEqual({ kind: 'admitted', receiptId: one.receiptId });
    expect(await counts()).toEqual({ admission_key: 1, receipt: 1, component: 1, event: 1, projection: 1, execution: 1 });
    const [execution] = await schema.sql(
      'SELECT state, ready_account, active_projection = projection_id AS active, attempt_count FROM con_execution',
    );
    expect(execution).toMatchObject({ state: Buffer.from('ready'), ready_account: Buffer.from('north/acme'), active: 1, attempt_count: 0 });
    const [work] = await schema.sql("SELECT produced, due_at IS NOT NULL AS due FROM con_account_work WHERE stage = 'execution'");
    expect(work).toEqual({ produced: '1', due: 1 });
  });

  it('redelivered: con:ADM-O con:CRASH-01 answers the original receipt and writes nothing, also under a new epoch', async () => {
    const one = delivery(served, 'msg_1', '{"a":1}');
    await admit(one, [item(0, 'a/1')]);
    const before = await counts();
    const moved = await newEpoch();
    expect(await admit(delivery(moved, 'msg_1', '{"a":1}'), [item(0, 'a/1')], moved)).toEqual({
      kind: 'redelivered',
      receiptId: one.receiptId,
    });
    expect(await counts()).toEqual(before);
    expect(await schema.sql('SELECT epoch_id FROM con_receipt')).toEqual([{ epoch_id: EpochId.bytes(served.epochId) }]);
  });

  it('redelivered: the same prepared batch again after an unknown COMMIT answers its own receipt ids', async () => {
    const pair = [delivery(served, 'msg_1', 'x'), delivery(served, 'msg_2', 'y')] as const;
    const all = pair.map((one, index) => [one, [item(0, `k${index}`)]] as const);
    const first = await admitAll(all);
    expect(first.map(({ kind }) => kind)).toEqual(['admitted', 'admitted']);
    expect(await admitAll(all)).toEqual(pair.map((one) => ({ kind: 'redelivered', receiptId: one.receiptId })));
  });

  it('conflicting-redelivery: con:ADM-X con:UNIQ-01 other bytes under a used key make nothing of them, and both digests are shown', async () => {
    const one = delivery(served, 'msg_1', '{"a":1}');
    await admit(one, [item(0, 'a/1')]);
    const before = await counts();
    const other = delivery(served, 'msg_1', '{"a":2}');
    expect(await admit(other, [item(0, 'a/2')])).toEqual({
      kind: 'conflicting-redelivery',
      receiptId: one.receiptId,
      held: one.payloadDigest,
      given: other.payloadDigest,
    });
    expect(await counts()).toEqual({ ...before, conflicting_redelivery: 1 });
  });

  it('conflicting-redelivery: con:ADM-X what was refused is kept under its receipt, without its bytes, once however often it comes', async () => {
    const one = delivery(served, 'msg_1', '{"a":1}');
    const other = { ...delivery(served, 'msg_1', '{"a": 2}'), keyVersion: 3 };
    await admit(one, [item(0, 'a/1')]);
    for (const again of [[other], [other, other], [other]]) await admitAll(again.map((each) => [each, [item(0, 'a/2')]] as const));
    expect(await conflicts()).toEqual([
      {
        receipt_id: ReceiptId.bytes(one.receiptId),
        payload_digest: Digest.bytes(other.payloadDigest),
        payload_bytes: 8,
        key_version: 3,
        first_seen_at: expect.any(String),
      },
    ]);
    expect(await admit(delivery(served, 'msg_1', '{"a":1}'), [item(0, 'a/1')])).toEqual({ kind: 'redelivered', receiptId: one.receiptId });
  });

  it('conflicting-redelivery: of one receipt sixteen are kept, over several transactions; a further one is answered like them', async () => {
    const bodies = Array.from({ length: CONFLICTS_OF_RECEIPT_MAX + 2 }, (_, at) => `other ${at}`);
    await admitAll([
      [delivery(served, 'msg_1', 'x'), []],
      ...bodies.slice(0, 9).map((body) => [delivery(served, 'msg_1', body), []] as const),
    ]);
    const answers = await admitAll(bodies.slice(8).map((body) => [delivery(served, 'msg_1', body), []] as const));
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['conflicting-redelivery']));
    const digests = (await conflicts()).map((row) => Digest.of(row['payload_digest'] as Buffer));
    expect(digests.toSorted()).toEqual(
      bodies
        .slice(0, 16)
        .map((body) => delivery(served, 'msg_1', body).payloadDigest)
        .toSorted(),
    );
  });

  it('conflicting-redelivery: the bound is of each receipt, and a conflict stands under the receipt of its own key', async () => {
    const [one, two] = [delivery(served, 'msg_1', 'x'), delivery(served, 'msg_2', 'x')];
    const many = Array.from({ length: CONFLICTS_OF_RECEIPT_MAX }, (_, at) => delivery(served, 'msg_1', `other ${at}`));
    await admitAll([one, two, ...many, delivery(served, 'msg_2', 'other 0')].map((each) => [each, []] as const));
    const holders = (await conflicts()).map((row) => ReceiptId.of(row['receipt_id'] as Buffer));
    expect(holders.toSorted()).toEqual([...many.map(() => one.receiptId), two.receiptId].toSorted());
  });

  it('conflicting-redelivery: keys are compared byte for byte, so a trailing space or another case is another key', async () => {
    const answers = await admitAll(['msg_1', 'msg_1 ', 'MSG_1'].map((key, index) => [delivery(served, key, `b${index}`), []] as const));
    expect(answers.map(({ kind }) => kind)).toEqual(['admitted', 'admitted', 'admitted']);
  });

  it('redelivered and conflicting-redelivery are told apart within one batch as well', async () => {
    const answers = await admitAll([
      [delivery(served, 'k', 'one'), [item(0, 'a')]],
      [delivery(served, 'k', 'one'), [item(0, 'a')]],
      [delivery(served, 'k', 'two'), [item(0, 'b')]],
      [delivery(served, 'l', 'three'), [item(0, 'c')]],
    ]);
    expect(answers.map(({ kind }) => kind)).toEqual(['admitted', 'redelivered', 'conflicting-redelivery', 'admitted']);
    expect(await counts()).toMatchObject({ receipt: 2, event: 2 });
  });

  it.each(['v1_serving', 'v2_validating', 'halting_v2', 'v2_halted'])(
    'not-serving: con:ADM-P a gate in %s admits nothing',
    async (mode) => {
      await schema.sql('UPDATE con_serving_gate SET mode = ?', [mode]);
      expect(await admit(delivery(served, 'm', 'x'), [item(0, 'a')])).toEqual({ kind: 'not-serving', mode });
      expect(await counts()).toEqual({});
    },
  );

  it('not-serving: an account without a gate admits nothing', async () => {
    await schema.sql('DELETE FROM con_serving_gate');
    expect(await admit(delivery(served, 'm', 'x'), [])).toEqual({ kind: 'not-serving', mode: 'no-gate' });
    expect(await counts()).toEqual({});
  });

  it.each(['prepared', 'verified', 'rejected', 'draining', 'retired'])(
    'epoch-not-active: con:EPOCH-09 con:GATE-29 an epoch in %s admits nothing',
    async (state) => {
      await schema.sql('UPDATE con_epoch SET state = ?', [state]);
      expect(await admit(delivery(served, 'm', 'x'), [])).toEqual({ kind: 'epoch-not-active', state });
      expect(await counts()).toEqual({});
    },
  );

  it('fence-moved: work that was based on an older fence writes nothing', async () => {
    const stale = { ...served, fence: 6n as GateFence };
    expect(await admit(delivery(served, 'm', 'x'), [], stale)).toEqual({ kind: 'fence-moved', fence: served.fence });
    expect(await counts()).toEqual({});
  });

  it('fence-moved: items that were extracted under another epoch write nothing', async () => {
    const other = { ...served, epochDigest: Digest.sha256(Buffer.from('other')) };
    expect(await admit(delivery(served, 'm', 'x'), [], other)).toEqual({ kind: 'fence-moved', fence: served.fence });
    expect(await counts()).toEqual({});
  });

  it('channel-keys-moved: a signature that was checked under an older key set is checked again, its neighbours go on', async () => {
    await schema.sql('UPDATE con_channel_key_gate SET fence = 2');
    const answers = await admitAll([
      [{ ...delivery(served, 'old', 'x'), keyFence: FIRST_KEYS }, []],
      [{ ...delivery(served, 'new', 'y'), keyFence: 2n as ChannelKeyFence }, []],
    ]);
    expect(answers.map(({ kind }) => kind)).toEqual(['channel-keys-moved', 'admitted']);
  });

  it('channel-gate-missing: a channel that nobody opened admits nothing', async () => {
    await schema.sql('DELETE FROM con_channel_key_gate');
    expect(await admit(delivery(served, 'm', 'x'), [])).toEqual({ kind: 'channel-gate-missing' });
    expect(await counts()).toEqual({});
  });

  it('admitted: an item that the pack refuses is durable by name and harms no neighbour', async () => {
    const bad: RefusedItem = { kind: 'refused', ordinal: 1, code: 'ITEM_MEMBER_MISSING', message: 'seq is missing' };
    expect((await admit(delivery(served, 'm', 'x'), [item(0, 'a'), bad, item(2, 'c')])).kind).toBe('admitted');
    expect(await counts()).toMatchObject({ component: 2, component_refusal: 1, event: 2, execution: 2 });
    expect(await schema.sql('SELECT ordinal, code, message FROM con_component_refusal')).toEqual([
      { ordinal: 1, code: Buffer.from('ITEM_MEMBER_MISSING'), message: Buffer.from('seq is missing') },
    ]);
  });

  it('admitted: a body that nobody can read is one durable receipt with one refusal', async () => {
    const whole: RefusedItem = { kind: 'refused', ordinal: WHOLE_BODY, code: 'BODY_NOT_JSON', message: 'at byte 0' };
    expect((await admit(delivery(served, 'm', 'not json'), [whole])).kind).toBe('admitted');
    expect(await counts()).toEqual({ admission_key: 1, receipt: 1, component_refusal: 1 });
  });

  it('admitted: con:UNIQ-03 con:IDN-06 the same source event in another delivery is one event, one execution', async () => {
    await admit(delivery(served, 'm1', 'x'), [item(0, 'a')]);
    await admit(delivery(served, 'm2', 'y'), [item(0, 'a')]);
    expect(await counts()).toEqual({ admission_key: 2, receipt: 2, component: 2, event: 1, projection: 1, execution: 1 });
  });

  it('admitted: con:INV-25 con:OMAT-X other content under a used source event key is refused by name, never chosen', async () => {
    await admit(delivery(served, 'm1', 'x'), [item(0, 'a', { v: 1 })]);
    await admit(delivery(served, 'm2', 'y'), [item(0, 'a', { v: 2 }), item(1, 'b')]);
    expect(await counts()).toMatchObject({ receipt: 2, component: 2, component_refusal: 1, event: 2, execution: 2 });
  });

  it('admitted: a body with too many items is stored alone and waits for the sweep', async () => {
    const one = delivery(served, 'm', 'x');
    expect((await admit(one, 'deferred')).kind).toBe('admitted');
    expect(await counts()).toEqual({ admission_key: 1, receipt: 1 });
    expect(await schema.sql('SELECT ready_account, next_ordinal FROM con_materialization')).toEqual([
      { ready_account: Buffer.from('north/acme'), next_ordinal: 0 },
    ]);
    expect(await schema.sql("SELECT produced FROM con_account_work WHERE stage = 'materialize'")).toEqual([{ produced: '1' }]);
  });

  it('con:UNIQ-02 con:UNIQ-14 SQL refuses a second component of one ordinal and a second active execution of one projection', async () => {
    await admit(delivery(served, 'm', 'x'), [item(0, 'a')]);
    const twice = (table: string, key: string) =>
      schema.sql(`CREATE TEMPORARY TABLE t AS SELECT * FROM ${table}`).then(async () => {
        try {
          if (key !== '') await schema.sql(`UPDATE t SET ${key}`);
          await schema.sql(`INSERT INTO ${table} SELECT * FROM t`);
        } finally {
          await schema.sql('DROP TEMPORARY TABLE t');
        }
      });
    await expect(twice('con_component', '')).rejects.toMatchObject({ errno: 1062 });
    const other = "execution_id = x'00000000000000000000000000000001', command_id = x'00000000000000000000000000000001', generation = 1";
    await expect(twice('con_execution', other)).rejects.toThrow(/active/);
  });
});
