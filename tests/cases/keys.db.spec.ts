import { receiptPayloadDigest } from '@connector/connector/model/digests/inbound';
import type { Lineage } from '@connector/connector/model/lineage/lineage';
import { connectorDoors } from '@connector/connector/model/paths';
import { ingress } from '@connector/services/ingress/src/ingress.service';
import { operator } from '@connector/services/operator/src/operator.service';
import type { RunningService } from '@connector/platform/host/service';
import { CommitProxy, type Cut } from '@connector/testing/commits/commit-proxy';
import { callsTo, tokensFor } from '@connector/testing/calls';
import { bootOn } from '@connector/testing/service';
import { type Answered, bodyOf, change, HOOK, HUBS, hubSigned, openWorld, post, signed, type World } from './world';

let world: World;
let services: readonly RunningService[];

const boot = (env: NodeJS.ProcessEnv = {}): Promise<RunningService> =>
  bootOn(ingress, world.schema, world.home, { CONNECTOR_POLL_MS: '50', ...env });
beforeAll(async () => {
  world = await openWorld();
  services = await Promise.all([boot(), boot(), boot()]);
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()));
  await world.close();
});

const url = (at = 0): string => services[at % services.length]?.url ?? '';
const deliver = (id: string, body: string, at = 0): Promise<Answered> => post(url(at), HOOK, signed(id, body), body);
const digestOf = (body: string): string => receiptPayloadDigest(Buffer.from(body)).digest;
const made = async (key: string): Promise<unknown> =>
  (
    await world.schema.sql(
      `SELECT COUNT(DISTINCT r.receipt_id) AS receipts, COUNT(DISTINCT c.ordinal) AS components, COUNT(DISTINCT e.event_id) AS events,
              COUNT(DISTINCT x.execution_id) AS executions
         FROM con_receipt r LEFT JOIN con_component c ON c.receipt_id = r.receipt_id LEFT JOIN con_event e ON e.event_id = c.event_id
         LEFT JOIN con_projection p ON p.event_id = e.event_id LEFT JOIN con_execution x ON x.projection_id = p.projection_id
        WHERE r.transport_key = ?`,
      [key],
    )
  ).map((row) => Object.values(row).map(Number))[0];

async function lineageOf(receipt: string): Promise<Lineage> {
  await tokensFor(world.home, 'operator', ['cli']);
  const service = await bootOn(operator, world.schema, world.home);
  try {
    return (await callsTo(service, 'cli').get(`/v1/lineage/${receipt}`)).body as unknown as Lineage;
  } finally {
    await service.stop();
  }
}

const DOOR = 'admit-and-materialize';
const TRIES_MAX = 5;
async function accepted(send: () => Promise<Answered>): Promise<number> {
  let status = 0;
  for (let tries = 0; tries < TRIES_MAX && status !== 202 && status !== 200; tries += 1) ({ status } = await send());
  return status;
}

/** Receipts without their key that anybody could see while this ran, and right after it. */
async function watched<T>(run: () => Promise<T>): Promise<{ readonly of: T; readonly bare: number }> {
  let [bare, over] = [0, false];
  const running = run().finally(() => (over = true));
  for (let last = false; !last;) {
    last = over;
    bare += await world.count(BARE);
  }
  return { of: await running, bare };
}
const BARE = `con_receipt r LEFT JOIN con_admission_key k ON k.account = r.account AND k.channel = r.channel AND k.transport_key = r.transport_key
  AND k.receipt_id = r.receipt_id WHERE k.receipt_id IS NULL`;

describe('cases › keys and batches at the ingress', () => {
  it('202 once, 200 ninety-nine times: one delivery a hundred times in parallel on three ingresses is one receipt, event and execution (PUB-ING-01)', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, at) => deliver('msg_dup1', bodyOf(change('dup-1')), at)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(99);
    expect(new Set(answers.map(({ receipt }) => receipt)).size).toBe(1);
    expect(await made('msg_dup1')).toEqual([1, 1, 1, 1]);
    expect(await world.count("con_admission_key WHERE transport_key = 'msg_dup1'")).toBe(1);
  });

  it('202 and 200 within a second: two hundred deliveries are answered, twice, while no handler runs at all (PUB-ING-02)', async () => {
    const took: number[] = [];
    const timed = async (at: number): Promise<number> => {
      const began = performance.now();
      const { status } = await deliver(`slow-${at}`, bodyOf(change(`slow-${at}`)), at);
      took.push(performance.now() - began);
      return status;
    };
    const round = async (): Promise<ReadonlySet<number>> => {
      const statuses = new Set<number>();
      for (let from = 0; from < 200; from += 10)
        for (const status of await Promise.all(Array.from({ length: 10 }, (_, at) => timed(from + at)))) statuses.add(status);
      return statuses;
    };
    expect([await round(), await round()]).toEqual([new Set([202]), new Set([200])]);
    const p99 = took.toSorted((one, other) => one - other)[Math.floor(took.length * 0.99)] ?? Infinity;
    console.log(`answered in ${Math.round(p99)} ms at p99`);
    expect(p99).toBeLessThan(1_000);
    const [waiting] = await world.schema.sql(
      `SELECT COUNT(*) AS n FROM con_receipt r JOIN con_event e ON e.receipt_id = r.receipt_id JOIN con_projection p ON p.event_id = e.event_id
         JOIN con_execution x ON x.projection_id = p.projection_id WHERE r.transport_key LIKE 'slow-%' AND x.state = 'ready'`,
    );
    expect(Number(waiting?.['n'])).toBe(200);
  });

  it('409 names the original receipt and both digests, for other content and for other bytes of the same content; each is listed under it once (PUB-ING-07)', async () => {
    const [one, two, spaced] = ['{"a":1}', '{"a":2}', '{"a": 1}'];
    const first = await deliver('msg_c1', one);
    expect(first.status).toBe(202);
    const receipts = await world.count('con_receipt');
    for (const body of [two, spaced, two]) {
      const { status, code, detail } = await deliver('msg_c1', body);
      expect([status, code]).toEqual([409, 'HOUSE:ingress:ConflictingRedelivery']);
      expect(detail).toContain(`held ${digestOf(one)} as ${String(first.receipt)}, given ${digestOf(body)}`);
    }
    expect(await world.count('con_receipt')).toBe(receipts);
    expect(await deliver('msg_c1', one)).toMatchObject({ status: 200, receipt: first.receipt });
    const { root } = await lineageOf(String(first.receipt));
    const conflicts = root.children.filter(({ kind }) => kind === 'conflict').map(({ note }) => note);
    expect(conflicts).toEqual([two, spaced].map((body) => `${digestOf(body)}, signed by key version 1`));
  });

  it('202 three times: a key belongs to its channel and its account (PUB-ING-08)', async () => {
    const answers = [];
    for (const path of HUBS) answers.push(await post(url(), path, hubSigned('k1', '{}'), '{}'));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(answers.map(({ receipt }) => receipt)).size).toBe(3);
  });

  it('stored apart, or 400: keys are bytes, never folded and never decoded (PUB-ING-08)', async () => {
    const tried = async (key: string): Promise<number> => (await post(url(), HUBS[0], hubSigned(key, '{}'), '{}')).status;
    expect([await tried('b1'), await tried('B1'), await tried('b1'), await tried('b1%20')]).toEqual([202, 202, 200, 202]);
    const composed = Buffer.from('c3a9', 'hex').toString('latin1');
    const decomposed = Buffer.from('65cc81', 'hex').toString('latin1');
    expect([await tried(composed), await tried(decomposed), await tried('b 1')]).toEqual([400, 400, 400]);
  });

  it('202 before any handler: three items are three components of one receipt, and a redelivery makes nothing (PUB-ING-09)', async () => {
    const body = bodyOf(change('n1'), change('n2'), change('n3'));
    expect((await deliver('msg_n', body)).status).toBe(202);
    expect(await made('msg_n')).toEqual([1, 3, 3, 3]);
    expect((await deliver('msg_n', body)).status).toBe(200);
    expect(await made('msg_n')).toEqual([1, 3, 3, 3]);
  });

  it('202: of fifty items the seventeenth cannot be read; it is refused by name, the others go on, a redelivery changes nothing (PUB-ING-10)', async () => {
    const body = bodyOf(...Array.from({ length: 50 }, (_, at) => (at === 16 ? { recordId: 5 } : change(`t-${at}`))));
    expect((await deliver('msg_t', body)).status).toBe(202);
    for (const status of [200, 200]) {
      expect(await made('msg_t')).toEqual([1, 49, 49, 49]);
      const refused = await world.schema.sql(
        "SELECT f.ordinal, f.code, f.message FROM con_component_refusal f JOIN con_receipt r ON r.receipt_id = f.receipt_id WHERE r.transport_key = 'msg_t'",
      );
      expect(refused).toEqual([{ ordinal: 16, code: Buffer.from('member-missing'), message: expect.any(Buffer) }]);
      expect((await deliver('msg_t', body)).status).toBe(status);
    }
  });

  it('one receipt, twenty components, twenty events, never a receipt without its key: the connection is cut before each statement, before COMMIT and after it, and the sender repeats until 2xx (PUB-ING-11)', async () => {
    const proxy = await CommitProxy.open();
    const behind = await boot({ CONNECTOR_DATABASE_PORT: String(proxy.port) });
    const send = (key: string): Promise<Answered> => {
      const body = bodyOf(...Array.from({ length: 20 }, (_, at) => change(`${key}-${at}`)));
      return post(behind.url, HOOK, signed(key, body), body);
    };
    try {
      expect((await send('msg_uncut')).status).toBe(202);
      const statements = proxy.statementsOf(DOOR);
      expect(statements).toBeGreaterThan(connectorDoors[DOOR].steps.filter(({ conditional }) => !conditional).length);
      const before = Array.from({ length: statements }, (_, statement): Cut => ({ kind: 'before', statement }));
      const cuts: readonly Cut[] = [...before, { kind: 'before' }, { kind: 'withheld' }];
      const ends = [];
      for (const [at, cut] of cuts.entries()) {
        void proxy.plan(DOOR, cut);
        const { of: status, bare } = await watched(() => accepted(() => send(`msg_cut_${at}`)));
        ends.push({ cut, met: proxy.cuts === at + 1, accepted: status === 202 || status === 200, bare, made: await made(`msg_cut_${at}`) });
      }
      expect(ends).toEqual(cuts.map((cut) => ({ cut, met: true, accepted: true, bare: 0, made: [1, 20, 20, 20] })));
    } finally {
      await behind.stop();
      await proxy.close();
    }
  });

  it('202, 200, 200: one id over two restarts of the ingress has one receipt (PUB-ING-03)', async () => {
    const answers: Answered[] = [];
    for (let life = 0; life < 3; life += 1) {
      const service = await boot();
      answers.push(await post(service.url, HOOK, signed('evt-7f', bodyOf(change('r7f'))), bodyOf(change('r7f'))));
      await service.stop();
    }
    expect(answers.map(({ status }) => status)).toEqual([202, 200, 200]);
    expect(new Set(answers.map(({ receipt }) => receipt)).size).toBe(1);
    expect(await made('evt-7f')).toEqual([1, 1, 1, 1]);
  });

  it('202: an account whose gate somebody holds keeps no other account waiting, and is answered once the gate is free (PUB-DB-06)', async () => {
    const [held, free] = [HUBS[0], HUBS[2]];
    await world.schema.sql('START TRANSACTION');
    await world.schema.sql("SELECT account FROM con_serving_gate WHERE account = 'github/acme' FOR UPDATE");
    let answered = false;
    const waiting = post(url(), held, hubSigned('held', '{}'), '{}').finally(() => (answered = true));
    const others = await Promise.all(Array.from({ length: 20 }, (_, at) => post(url(at), free, hubSigned(`free-${at}`, '{}'), '{}')));
    expect([new Set(others.map(({ status }) => status)), answered]).toEqual([new Set([202]), false]);
    await world.schema.sql('ROLLBACK');
    expect((await waiting).status).toBe(202);
  });
});
