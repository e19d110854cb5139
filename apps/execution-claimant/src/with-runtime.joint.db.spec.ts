import type { ExecutionId } from '@connector/kernel/ids';
import { jcs, type Json, type JsonObject } from '@connector/kernel/jcs';
import { admitAndMaterialize, prepareDelivery } from '@connector/connector/transitions/inbound/admit-and-materialize.tx';
import type { Handler } from '@connector/runtime/model/application';
import type { RunningService } from '@connector/platform/host/service';
import { executionClaimant } from '@connector/services/execution-claimant/src/execution-claimant.service';
import { outboundDispatcher } from '@connector/services/outbound-dispatcher/src/outbound-dispatcher.service';
import { contactOpensTicket } from '@connector/services/runtime/src/handlers/contact-opens-ticket';
import { runtime, runtimeWith } from '@connector/services/runtime/src/runtime.service';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { DEMO_POLICIES, demoEpoch, DESTINATION, type DemoEpoch } from '@connector/testing/fixtures/demo-epoch';
import { demoRoute } from '@connector/testing/fixtures/demo-route';
import { delivery, item } from '@connector/testing/fixtures/delivery';
import { frozenRoute } from '@connector/testing/fixtures/execution';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';
import { Random, seedOf } from '@connector/testing/system/random';
import { type LossyProxy, lossyProxy } from './lossy-proxy.fixture';

let schema: TestSchema;
let home: TestHome;
let demo: DemoEpoch;
let running: RunningService[] = [];
const proxies: LossyProxy[] = [];

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
  for (const proxy of proxies.splice(0)) await proxy.close();
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
/** In front of a Runtime whose answers are lost from the beginning. */
async function lossy(target: () => string): Promise<LossyProxy> {
  const proxy = await lossyProxy(target);
  proxy.lossy = true;
  proxies.push(proxy);
  return proxy;
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

/** The desk with a second push contract, so that one change may have two effects. */
function withNotes(pack: Json): Json {
  const { definitions } = pack as { readonly definitions: Readonly<Record<string, readonly JsonObject[]>> };
  const [create] = definitions['push-contract'] ?? [];
  if (create === undefined) return pack;
  const note = { ...create, business_key: 'ticket/note', definition: { ...(create['definition'] as JsonObject), ...NOTE } };
  return { ...(pack as JsonObject), definitions: { ...definitions, 'push-contract': [create, note] } };
}
const NOTE = { slot: 'ticket.note', intent: 'note-ticket' };
const opensAndNotes: Handler = {
  ...contactOpensTicket,
  answer(question, records) {
    const answer = contactOpensTicket.answer(question, records);
    return { ...answer, commands: answer.commands.flatMap((one) => [one, { ...one, ...NOTE, effect: 'ticket/note' }]) };
  },
};

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

  it('asked twice, runtime authors once: it committed and every answer was lost, until the lease brought the command back (con:CRASH-05 con:CRASH-07)', async () => {
    await admitted(contact('rec-1', 1));
    const server = await bootOn(runtime, schema, home);
    const proxy = await lossy(() => server.url);
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
  });

  it.each<[string, boolean]>([
    ['again after its commit', false],
    ['to the next Runtime, when the one that committed ended before any answer', true],
  ])('two commands and two effects of one handler, its command handed over %s (PUB-EXE-08, con:RTC-O con:EMAT-W)', async (_when, ends) => {
    await schema.reset();
    demo = await demoEpoch(schema, DEMO_POLICIES, [], withNotes);
    await admitted(contact('rec-1', 1));
    let asked = 0;
    const counted: Handler = { ...opensAndNotes, answer: (...given) => ((asked += 1), opensAndNotes.answer(...given)) };
    let server = await bootOn(runtimeWith([counted]), schema, home);
    const proxy = await lossy(() => server.url);
    const claimant = await bootOn(executionClaimant, schema, home, { CONNECTOR_RUNTIME_URL: proxy.url, CONNECTOR_POLL_MS: '20' });
    running = [claimant];
    await until(async () => (await number('run_application_result')) === 1, 'a result');
    if (ends) {
      await server.stop();
      server = await bootOn(runtimeWith([counted]), schema, home);
    }
    running = [...running, server, await bootOn(outboundDispatcher, schema, home, { CONNECTOR_POLL_MS: '20' })];
    const before = proxy.seen.length;
    await endLeases();
    await until(() => Promise.resolve(proxy.seen.slice(before).includes('/v1/commands')), 'a second submission');
    expect(await number("con_execution WHERE state = 'completed'")).toBe(0);
    proxy.lossy = false;
    await completed(1);
    await until(async () => (await number('con_remote_effect')) >= 2, 'effects');
    expect(await schema.sql('SELECT effect_slot, feed_seq FROM run_outbound_command ORDER BY feed_seq')).toEqual([
      { effect_slot: Buffer.from('ticket.create'), feed_seq: '1' },
      { effect_slot: Buffer.from('ticket.note'), feed_seq: '2' },
    ]);
    expect([asked, await number('con_remote_effect'), await number('run_application_result')]).toEqual([1, 2, 1]);
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
