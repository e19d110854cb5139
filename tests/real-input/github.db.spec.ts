import type { RunningService } from '@connector/platform/host/service';
import { MAIN_TABLES } from '@connector/schema/tables';
import { ingress } from '@connector/services/ingress/src/ingress.service';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { DEMO_POLICIES, demoEpoch, GITHUB_CHANNEL } from '@connector/testing/fixtures/demo-epoch';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';
import { Random, seedOf } from '@connector/testing/system/random';
import { recordedDeliveries, type RecordedDelivery } from './recorded';

const SECRET = 'github-secret';
/** Deliveries that arrive together are admitted together, so the first round takes more senders than the second. */
const FIRST_ROUND = 16;
const SECOND_ROUND = 4;
const ROUND_MS_MAX = 60_000;
let schema: TestSchema;
let home: TestHome;
let service: RunningService;
let recorded: readonly RecordedDelivery[];

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await home.secret(GITHUB_CHANNEL.secretPath, SECRET);
  await demoEpoch(schema, DEMO_POLICIES, [GITHUB_CHANNEL]);
  service = await bootOn(ingress, schema, home, { CONNECTOR_POLL_MS: '50' });
  recorded = await recordedDeliveries(SECRET);
});
afterAll(async () => {
  await service.stop();
  await schema.close();
  await home.remove();
});

interface Answer {
  readonly id: string;
  readonly status: number;
  readonly receiptId: unknown;
}
async function send({ id, event, body, signature }: RecordedDelivery): Promise<Answer> {
  const headers = {
    ...{ 'content-type': 'application/json', 'user-agent': 'GitHub-Hookshot/044aadd', accept: '*/*' },
    ...{ 'X-GitHub-Delivery': id, 'X-GitHub-Event': event, 'X-GitHub-Hook-ID': '1', 'X-Hub-Signature-256': signature },
  };
  const { account, channel } = GITHUB_CHANNEL;
  const response = await fetch(`${service.url}/v1/in/${account}/${channel}`, { method: 'POST', headers, body });
  const answer = (await response.json()) as Record<string, unknown>;
  return { id, status: response.status, receiptId: answer['receipt_id'] };
}

/** In this order, so many at a time. */
async function sendAll(deliveries: readonly RecordedDelivery[], atOnce: number): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const waiting = deliveries.values();
  const sender = async (): Promise<void> => {
    for (const delivery of waiting) answers.push(await send(delivery));
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
  return answers;
}

async function counts(): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {};
  for (const { name } of MAIN_TABLES) found[name] = Number((await schema.sql(`SELECT COUNT(*) AS n FROM ${name}`))[0]?.['n']);
  return found;
}

const MADE = `
  SELECT r.transport_key, r.payload, r.headers, e.kind, e.source_event_key, p.input, x.state
    FROM con_receipt r
    JOIN con_component c ON c.receipt_id = r.receipt_id
    JOIN con_event e ON e.event_id = c.event_id
    JOIN con_projection p ON p.event_id = e.event_id
    JOIN con_execution x ON x.projection_id = p.projection_id`;

/** What one delivery became, with every byte that was kept read back. */
async function made(): Promise<ReadonlyMap<string, unknown>> {
  const rows = await schema.sql(MADE);
  const text = (value: unknown): string => (value as Buffer).toString('utf8');
  const found = new Map(
    rows.map((row) => [
      text(row['transport_key']),
      {
        body: text(row['payload']),
        headers: JSON.parse(text(row['headers'])) as unknown,
        kind: text(row['kind']),
        key: text(row['source_event_key']),
        input: JSON.parse(text(row['input'])) as unknown,
        state: text(row['state']),
      },
    ]),
  );
  expect(found.size).toBe(rows.length);
  return found;
}

function expected({ id, event, body, payload }: RecordedDelivery): unknown {
  const action: unknown = Reflect.get(payload, 'action') ?? null;
  return {
    ...{ body, headers: { 'x-github-event': event }, kind: 'code-host.notified', key: `delivery\0${id}`, state: 'ready' },
    input: { delivery: id, event, action, payload },
  };
}

describe('real input › every payload that GitHub published, signed by its own library, over HTTP', () => {
  const receipts = new Map<string, unknown>();

  it(
    '202: each is one receipt, one event and one execution, byte for byte',
    async () => {
      const answers = await sendAll(recorded, FIRST_ROUND);
      expect(answers.filter(({ status }) => status !== 202)).toEqual([]);
      for (const { id, receiptId } of answers) receipts.set(id, receiptId);
      expect(receipts.size).toBe(recorded.length);
      const rows = await made();
      for (const delivery of recorded) expect([delivery.id, rows.get(delivery.id)]).toEqual([delivery.id, expected(delivery)]);
      const { con_receipt, con_admission_key, con_component, con_component_refusal, con_event, con_projection, con_execution } =
        await counts();
      const each = { con_receipt, con_admission_key, con_component, con_event, con_projection, con_execution };
      expect(each).toEqual(Object.fromEntries(Object.keys(each).map((table) => [table, recorded.length])));
      expect(con_component_refusal).toBe(0);
      console.log(`${recorded.length} payloads of ${new Set(recorded.map(({ event }) => event)).size} kinds: ${JSON.stringify(each)}`);
    },
    ROUND_MS_MAX,
  );

  it(
    '200: all again, shuffled, four at a time, and no table has a new row',
    async () => {
      const before = await counts();
      const random = new Random(seedOf());
      console.log(`seed ${random.seed} (CONNECTOR_SEED makes the order again)`);
      const answers = await sendAll(random.shuffled(recorded), SECOND_ROUND);
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      expect(new Map(answers.map(({ id, receiptId }) => [id, receiptId]))).toEqual(receipts);
      expect(await counts()).toEqual(before);
    },
    ROUND_MS_MAX,
  );

  it('409: another payload under a delivery id that was used, and the one new row says what came', async () => {
    const before = await counts();
    const [first, ...others] = recorded as readonly [RecordedDelivery, ...RecordedDelivery[]];
    const other = others.find(({ body }) => body !== first.body) as RecordedDelivery;
    for (let time = 0; time < 2; time += 1) expect(await send({ ...other, id: first.id })).toMatchObject({ status: 409 });
    expect(await counts()).toEqual({ ...before, con_conflicting_redelivery: 1 });
  });
});
