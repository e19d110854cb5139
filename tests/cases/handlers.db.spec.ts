import { LaneId } from '@connector/kernel/ids';
import { nodesOf, type Lineage } from '@connector/connector/model/lineage/lineage';
import { renderLineage } from '@connector/connector/model/lineage/render';
import type { RunningService } from '@connector/platform/host/service';
import { executionClaimant } from '@connector/services/execution-claimant/src/execution-claimant.service';
import { ingress } from '@connector/services/ingress/src/ingress.service';
import { operator } from '@connector/services/operator/src/operator.service';
import { contactOpensTicket } from '@connector/services/runtime/src/handlers/contact-opens-ticket';
import { runtimeWith } from '@connector/services/runtime/src/runtime.service';
import type { Handler } from '@connector/runtime/model/application';
import { callsTo, tokensFor } from '@connector/testing/calls';
import { bootOn } from '@connector/testing/service';
import { type Answered, bodyOf, change, HOOK, openWorld, post, signed, type World } from './world';

/** Of a contact of this name the application keeps a record of 262,145 bytes; what ships makes none as long as an item may be. */
const SWELLS = 'swells';
const contacts: Handler = {
  ...contactOpensTicket,
  answer(question, records) {
    const answer = contactOpensTicket.answer(question, records);
    const swells = JSON.stringify(question.input).includes(SWELLS);
    return swells ? { ...answer, changes: answer.changes.map((one) => ({ ...one, value: 'x'.repeat(262_143) })) } : answer;
  },
};

let world: World;
let door: RunningService;
let running: readonly RunningService[] = [];

beforeAll(async () => {
  world = await openWorld();
  await tokensFor(world.home, 'operator', ['cli']);
  await world.home.secret('tokens/execution-claimant/runtime', 'claimant-token');
  door = await bootOn(ingress, world.schema, world.home, { CONNECTOR_POLL_MS: '50' });
});
afterAll(async () => {
  for (const service of [...running, door]) await service.stop();
  await world.close();
});

/** The application, and whoever hands work to it; none of it runs before. */
async function start(): Promise<void> {
  const server = await bootOn(runtimeWith([contacts]), world.schema, world.home);
  const claimant = await bootOn(executionClaimant, world.schema, world.home, {
    CONNECTOR_RUNTIME_URL: server.url,
    CONNECTOR_POLL_MS: '20',
  });
  running = [await bootOn(operator, world.schema, world.home), claimant, server];
}
const deliver = (id: string, body: string): Promise<Answered> => post(door.url, HOOK, signed(id, body), body);
/** What the command line asks for. */
async function ask(path: string): Promise<unknown> {
  const { status, body } = await callsTo(running[0] as RunningService, 'cli').get(path);
  expect(status).toBe(200);
  return body;
}
const lineageOf = async (receipt: unknown): Promise<Lineage> => (await ask(`/v1/lineage/${String(receipt)}`)) as unknown as Lineage;
async function completed(count: number): Promise<void> {
  for (let look = 0; look < 800; look += 1) {
    if ((await world.count("con_execution WHERE state = 'completed'")) === count) return;
    await world.schema.sql('DO SLEEP(0.01)');
  }
  throw new Error(`never ${count} completed`);
}
const resultsOf = ({ root }: Lineage) => root.children.map((child) => [...nodesOf(child)].filter(({ kind }) => kind === 'result'));
const laneOf = async (partition: string): Promise<LaneId> => {
  const [row] = await world.schema.sql('SELECT lane_id FROM con_ordering_lane WHERE ordering_partition LIKE ?', [`%${partition}`]);
  return LaneId.of(row?.['lane_id'] as Buffer);
};

describe('cases › handlers behind the ingress', () => {
  it('202 before any handler: of three items the second fails; one receipt, three outcomes, and a redelivery calls no handler (PUB-ING-09, con:OPEN-17)', async () => {
    const body = bodyOf(change('n1'), { ...change('n2'), email: 'none' }, change('n3'));
    const { status, receipt } = await deliver('msg_n', body);
    expect([status, await world.count('run_command'), await world.count('con_component')]).toEqual([202, 0, 3]);
    await start();
    await completed(3);
    const lineage = await lineageOf(receipt);
    expect(lineage.root.children.map(({ text }) => text)).toEqual([0, 1, 2].map((ordinal) => `#${ordinal} Event contact.updated`));
    const [first, second, third] = resultsOf(lineage);
    expect([first, second, third]).toMatchObject([
      [{ state: 'applied', note: null }],
      [{ state: 'failed', note: 'address-unusable' }],
      [{ state: 'applied', note: null }],
    ]);
    expect(lineage.counts).toMatchObject({ events: 3, outcomes: { applied: 2, failed: 1 } });
    expect(renderLineage(lineage).filter((line) => / Result /.test(line))).toEqual([
      expect.stringMatching(/applied/),
      expect.stringMatching(/failed .*address-unusable$/),
      expect.stringMatching(/applied/),
    ]);
    expect((await deliver('msg_n', body)).status).toBe(200);
    // Whatever the redelivery had made would be claimed before what comes behind it.
    expect((await deliver('msg_o', bodyOf(change('o1')))).status).toBe(202);
    await completed(4);
    expect([await world.count('run_command'), await world.count('con_execution_attempt')]).toEqual([4, 4]);
    const held = await ask(`/v1/explain/${await laneOf('n2')}`);
    expect(held).toMatchObject({
      reason: { code: 'ORDER_LANE_HELD', headline: expect.stringContaining('position 1 was failed: address-unusable') },
    });
  });

  it('failed on attempt 1: a result of 262,145 bytes is named with size and limit, is not tried again, and its lineage opens (PUB-ING-05)', async () => {
    const { receipt } = await deliver('msg_big', bodyOf({ ...change('big'), name: SWELLS }));
    await completed(5);
    await world.schema.sql("UPDATE con_account_work SET produced = produced + 1, due_at = NOW(6) WHERE stage = 'execution'");
    await deliver('msg_p', bodyOf(change('p1')));
    await completed(6);
    const lineage = await lineageOf(receipt);
    const note = 'a record of 262145 bytes, at most 262144 (change-too-large)';
    expect(resultsOf(lineage)).toMatchObject([[{ state: 'failed', note }]]);
    expect(renderLineage(lineage).join('\n')).toContain(note);
    expect([await world.count('con_execution_attempt'), await world.count('run_command')]).toEqual([6, 6]);
  });
});
