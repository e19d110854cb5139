import type { ExecutionId } from '@connector/kernel/ids';
import { jcs, type JsonObject } from '@connector/kernel/jcs';
import { admitAndMaterialize, prepareDelivery } from '@connector/connector/transitions/inbound/admit-and-materialize.tx';
import type { RunningService } from '@connector/platform/host/service';
import { executionClaimant } from '@connector/services/execution-claimant/src/execution-claimant.service';
import { runtime } from '@connector/services/runtime/src/runtime.service';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, DESTINATION, type DemoEpoch } from '@connector/testing/fixtures/demo-epoch';
import { demoRoute } from '@connector/testing/fixtures/demo-route';
import { delivery, item } from '@connector/testing/fixtures/delivery';
import { frozenRoute } from '@connector/testing/fixtures/execution';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';
import { Random, seedOf } from '@connector/testing/system/random';
import { lossyProxy } from './lossy-proxy.fixture';

let schema: TestSchema;
let home: TestHome;
let demo: DemoEpoch;
let running: RunningService[] = [];

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await home.secret('tokens/execution-claimant/runtime', 'claimant-token');
});
beforeEach(async () => {
  await schema.reset();
  demo = await demoEpoch(schema);
});
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});
afterAll(async () => {
  await schema.close();
  await home.remove();
});

async function start(): Promise<{ readonly runtime: RunningService; readonly claimant: RunningService }> {
  const server = await bootOn(runtime, schema, home);
  const claimant = await bootOn(executionClaimant, schema, home, { CONNECTOR_RUNTIME_URL: server.url, CONNECTOR_POLL_MS: '20' });
  running = [claimant, server];
  return { runtime: server, claimant };
}
/** One change of a contact, admitted and materialized as the ingress does it. */
async function admitted(contact: JsonObject): Promise<ExecutionId> {
  const { source } = demo;
  const ref = await frozenRoute(schema, demo.epochId, 'contact/upsert');
  const key = `${String(contact['externalId'])}/${String(contact['seq'])}`;
  const prepared = prepareDelivery(source, ref, delivery(source, key, key), {
    kind: 'items',
    items: [{ ...item(0, key, contact), input: jcs(contact) }],
  });
  await admitAndMaterialize(schema.db, source, ref, [prepared]);
  return (prepared.children?.items[0] as { executionId: ExecutionId }).executionId;
}
async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (let look = 0; look < 800; look += 1) {
    if (await holds()) return;
    await schema.sql('DO SLEEP(0.01)');
  }
  throw new Error(`never: ${what}`);
}
const number = async (sql: string): Promise<number> => Number((await schema.sql(`SELECT COUNT(*) AS n FROM ${sql}`))[0]?.['n']);
const completed = (count: number) =>
  until(async () => (await number("con_execution WHERE state = 'completed'")) === count, `${count} completed`);
const contact = (externalId: string, seq: number): JsonObject => ({ externalId, seq, email: null, name: 'Ada' });

/** Every execution claimed again at once, as if all leases had ended. */
async function endLeases(): Promise<void> {
  await schema.sql("UPDATE con_execution SET due_at = NOW(6) WHERE state = 'ready'");
  await schema.sql("UPDATE con_account_work SET produced = produced + 1, due_at = NOW(6) WHERE stage = 'execution'");
}

describe('joint › claimant and runtime', () => {
  it('a ready execution ends completed, its command authored once, found by nothing but polls (con:RREC-W con:OAU-W)', async () => {
    await admitted(contact('rec-1', 1));
    await start();
    await completed(1);
    expect(await schema.sql('SELECT account, feed_seq, effect_slot FROM run_outbound_command')).toEqual([
      { account: Buffer.from(DESTINATION), feed_seq: '1', effect_slot: Buffer.from('ticket.create') },
    ]);
    const [row] = await schema.sql(
      `SELECT r.result_digest = c.result_digest AS same_result, r.commit_receipt_digest = c.commit_receipt_digest AS same_receipt
         FROM run_application_result r JOIN con_result_correlation c USING (command_id)`,
    );
    expect(row).toEqual({ same_result: 1, same_receipt: 1 });
    const effects = "con_account_work WHERE stage = 'effect' AND account = 'tern/acme' AND due_at <= NOW(6)";
    expect(await number(effects)).toBe(1);
  });

  it('asked twice, runtime authors once: it committed and every answer was lost, until the lease brought the command back (con:CRASH-05 con:CRASH-07, PUB-EXE-08)', async () => {
    await admitted(contact('rec-1', 1));
    const server = await bootOn(runtime, schema, home);
    const proxy = await lossyProxy(() => server.url);
    proxy.lossy = true;
    const claimant = await bootOn(executionClaimant, schema, home, { CONNECTOR_RUNTIME_URL: proxy.url, CONNECTOR_POLL_MS: '20' });
    running = [claimant, server];
    await until(async () => (await number('run_application_result')) === 1, 'a result');
    await endLeases();
    const submissions = (): number => proxy.seen.filter((path) => path === '/v1/commands').length;
    await until(() => Promise.resolve(submissions() >= 2), 'a second submission');
    expect(await number("con_execution WHERE state = 'completed'")).toBe(0);
    proxy.lossy = false;
    await completed(1);
    expect([await number('run_command'), await number('run_application_result'), await number('run_outbound_command')]).toEqual([1, 1, 1]);
    await proxy.close();
  });

  it('a Runtime that dies with commands in hand loses none: the leases bring them back to the next one (con:CRASH-04)', async () => {
    const contacts = Array.from({ length: 30 }, (_, index) => contact(`rec-${index}`, 1));
    for (const one of contacts) await admitted(one);
    // The gate of the destination stops every authoring, so that all of them are accepted and none has a result.
    await schema.sql("UPDATE con_serving_gate SET mode = 'halting_v2' WHERE account = ?", [Buffer.from(DESTINATION)]);
    const first = await start();
    await until(async () => (await number('run_command')) === 30, '30 accepted');
    await first.runtime.stop();
    await first.claimant.stop();
    expect(await number('run_application_result')).toBe(0);
    await schema.sql("UPDATE con_serving_gate SET mode = 'v2_serving', fence = fence + 2 WHERE account = ?", [Buffer.from(DESTINATION)]);
    await start();
    await endLeases();
    await completed(30);
    expect(await number('run_outbound_command')).toBe(30);
    expect(await schema.sql('SELECT MIN(feed_seq) AS a, MAX(feed_seq) AS b FROM run_outbound_command')).toEqual([{ a: '1', b: '30' }]);
  });

  it('forty changes of four contacts end in four records with the greatest seq and in four commands', async () => {
    for (let seq = 1; seq <= 10; seq += 1) for (const name of ['a', 'b', 'c', 'd']) await admitted(contact(name, seq));
    await start();
    await completed(40);
    const rows = await schema.sql("SELECT value FROM run_record WHERE collection = 'contact'");
    expect(rows.map((row) => (JSON.parse(String(row['value'])) as { seq: number }).seq)).toEqual([10, 10, 10, 10]);
    expect(await number('run_outbound_command')).toBe(4);
  });

  it('con:ORD-01 con:ORD-14 con:ORD-16 of shuffled and doubled changes the application sees every position once, in the source’s order', async () => {
    const random = new Random(seedOf());
    console.log(`order of arrival: seed ${random.seed}`);
    const route = await demoRoute(schema, demo);
    const changes = ['a', 'b', 'c', 'd'].flatMap((recordId) =>
      [1, 2, 3, 4, 5, 6].map((seq) => ({ recordId, seq, email: null, name: 'Ada' })),
    );
    await start();
    for (const [index, change] of random.shuffled([...changes, ...changes]).entries()) {
      const read = { kind: 'items', items: route.read({ changes: [change] }) } as const;
      const prepared = prepareDelivery(demo.source, route.ref, delivery(demo.source, `${index}`, `${index}`), read);
      await admitAndMaterialize(schema.db, demo.source, route.ref, [prepared]);
    }
    await completed(24);
    const rows = await schema.sql(
      `SELECT e.lane_id, e.source_position, r.outcome FROM con_execution e JOIN run_application_result r ON r.command_id = e.command_id
        ORDER BY e.lane_id, r.committed_at`,
    );
    // A handler that met an older change behind a newer one would have answered noop.
    expect(new Set(rows.map(({ outcome }) => String(outcome)))).toEqual(new Set(['applied']));
    const seen = rows.map((row) => Number((row['source_position'] as Buffer).readBigUInt64BE()));
    expect(seen).toEqual([1, 2, 3, 4].flatMap(() => [1, 2, 3, 4, 5, 6]));
    expect([await number('con_execution_attempt'), await number('con_ordering_lane')]).toEqual([24, 4]);
  });
});
