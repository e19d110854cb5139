import { CommandId, ExecutionId, GenerationId } from '@connector/kernel/ids';
import { jcs } from '@connector/kernel/jcs';
import { admitAndMaterialize, prepareDelivery } from '@connector/connector/transitions/inbound/admit-and-materialize.tx';
import type { RunningService } from '@connector/platform/host/service';
import { startCommand } from '@connector/runtime/transitions/start-command.tx';
import { executionClaimant } from '@connector/services/execution-claimant/src/execution-claimant.service';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, type DemoEpoch } from '@connector/testing/fixtures/demo-epoch';
import { delivery, item } from '@connector/testing/fixtures/delivery';
import { frozenRoute, receiptFor } from '@connector/testing/fixtures/execution';
import { bootOn, settingsOn, testHome, type TestHome } from '@connector/testing/service';
import { DeadlyRuntime } from './deadly-runtime.fixture';
import { lossyProxy, type LossyProxy } from './lossy-proxy.fixture';

const WITHIN_MS = 60_000;
const DEADLY = 'deadly';
/** Looks after which what had no answer will get none. */
const LOOKS_OF_A_LEASE = 40;
const NEIGHBOURS = Array.from({ length: 12 }, (_, index) => `good-${index}`);

let schema: TestSchema;
let home: TestHome;
let demo: DemoEpoch;
let runtime: DeadlyRuntime;
let proxy: LossyProxy;
let claimant: RunningService;

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await home.secret('tokens/execution-claimant/runtime', 'claimant-token');
  demo = await demoEpoch(schema);
}, WITHIN_MS);
afterAll(async () => {
  await claimant?.stop();
  await proxy?.close();
  await runtime?.stop();
  await schema.close();
  await home.remove();
});

/** In one delivery and in this order, so that the deadly one has neighbours before it and behind it. */
async function admitted(names: readonly string[]): Promise<readonly ExecutionId[]> {
  const ref = await frozenRoute(schema, demo.epochId, 'contact/upsert');
  const items = names.map((externalId, ordinal) => {
    const contact = { externalId, seq: 1, email: null, name: 'Ada' };
    return { ...item(ordinal, externalId, contact), input: jcs(contact) };
  });
  const prepared = prepareDelivery(demo.source, ref, delivery(demo.source, 'all', 'all'), { kind: 'items', items });
  await admitAndMaterialize(schema.db, demo.source, ref, [prepared]);
  return (prepared.children?.items ?? []).map(({ executionId }) => executionId);
}
const open = async (where: string, values: readonly unknown[] = []): Promise<number> =>
  Number((await schema.sql(`SELECT COUNT(*) AS n FROM con_execution WHERE state = 'ready' AND ${where}`, values))[0]?.['n']);
let looked = { looks: 0, answers: 0 };
/**
 * As if a lease had passed, for all of them: what was claimed together comes again together. Not while something waits to be claimed or is on its
 * way, which a lease outlasts; a submission that got no answer is waited for a while.
 */
async function endLeases(): Promise<void> {
  const answers = proxy.seen.filter((path) => path === '/v1/commands').length;
  looked = { ...looked, looks: looked.looks + 1 };
  const onTheWay = answers - looked.answers < (await open('TRUE')) && looked.looks < LOOKS_OF_A_LEASE;
  if (onTheWay || (await open('due_at <= NOW(6)')) > 0) return;
  looked = { looks: 0, answers };
  await schema.sql("UPDATE con_execution SET due_at = NOW(6) WHERE state = 'ready'");
  await schema.sql("UPDATE con_account_work SET produced = produced + 1, due_at = NOW(6) WHERE stage = 'execution'");
}
/** Leases end again and again until it holds. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < 1_000; look += 1) {
    if (await holds()) return;
    await endLeases();
    await schema.sql('DO SLEEP(0.02)');
  }
  throw new Error('it never came');
}
/** Of a process that starts now nothing is on its way. */
async function started(): Promise<void> {
  await runtime.start();
  looked = { ...looked, looks: LOOKS_OF_A_LEASE };
}
/** The Runtime, again, until it ends by itself. */
async function untilItEnds(): Promise<void> {
  await started();
  let ended = false;
  void runtime.ended().then(() => (ended = true));
  await until(() => Promise.resolve(ended));
}

describe('joint › claimant and a Runtime whose process an input ends', () => {
  it(
    'failed: con:OPEN-18 after five starts the input is given up with that cause, no restart resets the count, and its neighbours complete meanwhile (PUB-EXE-09)',
    async () => {
      const executions = await admitted([...NEIGHBOURS.slice(0, 6), DEADLY, ...NEIGHBOURS.slice(6)]);
      const deadly = executions[6] as ExecutionId;
      const itself = [ExecutionId.bytes(deadly)];
      const { commandId } = await receiptFor(schema, deadly);
      runtime = await DeadlyRuntime.in(home.dir, await settingsOn(schema, home));
      proxy = await lossyProxy(() => runtime.url);
      claimant = await bootOn(executionClaimant, schema, home, { CONNECTOR_RUNTIME_URL: proxy.url, CONNECTOR_POLL_MS: '20' });

      // In the company of others, then alone. Two more processes begin it and tell nothing: their deaths are not worth the wait.
      for (let start = 1; start <= 2; start += 1) await untilItEnds();
      for (let start = 3; start <= 4; start += 1)
        expect(await startCommand(schema.db, commandId, GenerationId.mint())).toEqual({ kind: 'started', unanswered: start - 1 });

      // The fifth start, and all the others were answered before it.
      await untilItEnds();
      expect([await open('execution_id = ?', itself), await results(), await deaths()]).toEqual([1, NEIGHBOURS.length, 3]);

      await started();
      await until(async () => (await open('TRUE')) === 0);
      const [ends] = await schema.sql('SELECT outcome, reason FROM run_application_result WHERE command_id = ?', [
        CommandId.bytes(commandId),
      ]);
      expect([String(ends?.['outcome']), String(ends?.['reason']), await deaths()]).toEqual(['failed', 'never-answered', 3]);
      const outcomes = await schema.sql('SELECT outcome, COUNT(*) AS n FROM run_application_result GROUP BY outcome ORDER BY outcome');
      expect(outcomes.map((row) => [String(row['outcome']), Number(row['n'])])).toEqual([
        ['applied', NEIGHBOURS.length],
        ['failed', 1],
      ]);
    },
    WITHIN_MS,
  );
});

const results = async (): Promise<number> => Number((await schema.sql('SELECT COUNT(*) AS n FROM run_application_result'))[0]?.['n']);
/** Starts of the deadly handler, each of which was the end of its process. */
async function deaths(): Promise<number> {
  return (await runtime.story()).filter((name) => name === DEADLY).length;
}
