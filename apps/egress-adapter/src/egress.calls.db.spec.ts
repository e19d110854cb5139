import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HolderFence } from '@connector/kernel/brand';
import { GenerationId, OperationId } from '@connector/kernel/ids';
import { abandonPermits } from '@connector/connector/transitions/outbound/abandon-permits.tx';
import { registerHolder } from '@connector/connector/transitions/outbound/register-holder.tx';
import { permitsOfHolder } from '@connector/connector/reads/outbound/holder-permits';
import { MAIN_TABLES } from '@connector/schema/tables';
import { canaryNeedles } from '@connector/testing/canary-needles';
import { scanBytes, scanRow } from '@connector/testing/canary';
import { CommitProxy } from '@connector/testing/commits/commit-proxy';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { EgressBench } from '@connector/testing/egress-bench';
import { reenabled, revoked } from '@connector/testing/fixtures/credential';
import { DEMO_POLICIES, demoEpoch, type DemoEpoch } from '@connector/testing/fixtures/demo-epoch';
import { granted, sending } from '@connector/testing/fixtures/outbound';
import { pushedTicket } from '@connector/testing/fixtures/pushed-ticket';

/** 32 random characters, so that no other text holds a part of it by chance. */
const CANARY = 'q8Zr2Lw6Xb0Tn4Vy7Kd1Hs5Jf3Mc9Gp_';
/** Fast, and one attempt more than the first. */
const HURRIED = { ...DEMO_POLICIES, attempts_max: 2, backoff: { first_ms: 1, factor: 1, cap_ms: 1 }, call_deadline_ms: 1_000 };

let schema: TestSchema;
let bench: EgressBench;
let epoch: DemoEpoch;

beforeAll(async () => {
  schema = await mainSchema();
  bench = await EgressBench.open(schema, CANARY);
});
beforeEach(async () => {
  await schema.reset();
  epoch = await demoEpoch(schema, HURRIED);
});
afterEach(() => bench.rest());
afterAll(async () => {
  await bench.close();
  await schema.close();
});

interface Outcome {
  readonly effects: readonly string[];
  readonly evidence: readonly (readonly [outcome: string, ioStarted: number, status: number | null, detail: string])[];
}
async function outcome(): Promise<Outcome> {
  const effects = await schema.sql('SELECT state FROM con_remote_effect ORDER BY created_at, effect_id');
  const evidence = await schema.sql(
    'SELECT outcome, io_started, status, detail FROM con_effect_evidence ORDER BY effect_id, attempt_ordinal',
  );
  return {
    effects: effects.map((row) => String(row['state'])),
    evidence: evidence.map((row) => [
      String(row['outcome']),
      Number(row['io_started']),
      row['status'] === null ? null : Number(row['status']),
      String(row['detail']),
    ]),
  };
}
async function permits(): Promise<readonly string[]> {
  return (await schema.sql('SELECT state FROM con_dispatch_permit ORDER BY granted_at, permit_id')).map((row) => String(row['state']));
}
const settled = (state: string, count = 1): Promise<void> =>
  bench.until(async () => (await outcome()).effects.filter((found) => found === state).length === count, `${count} ${state}`);
const noted = (event: string): boolean => bench.lines.some((line) => line.includes(`"${event}"`));

/** Dispatcher and adapter, and one ticket on its way. */
async function oneTicket(): Promise<void> {
  await bench.dispatcher();
  await bench.adapter();
  await pushedTicket(schema, epoch, 'ref-1');
}
const answering = (status: number, body: string) => (_req: IncomingMessage, res: ServerResponse) =>
  void res.writeHead(status, { 'content-type': 'application/json' }).end(body);

describe('a call', () => {
  it('finalized: con:SEND-O con:FIN-W a 201 is confirmed by the frozen profile, finished and linked, in one request', async () => {
    await oneTicket();
    await settled('finalized');
    expect(await outcome()).toEqual({ effects: ['finalized'], evidence: [['remote_confirmed', 1, 201, 'status 201: confirmed']] });
    expect(await permits()).toEqual(['returned']);
    expect(await schema.sql('SELECT remote_identity, state FROM con_remote_link')).toEqual([
      { remote_identity: Buffer.from('tck_000001'), state: Buffer.from('active') },
    ]);
    const [entry, ...others] = await bench.ledger();
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ method: 'POST', target: '/v1/tickets', credential: true, executed: true, key: 'ref-1' });
    const body = { external_ref: 'ref-1', requester: 'r@example.test', subject: 'subject ref-1' };
    expect(JSON.parse(Buffer.from(entry?.body ?? '', 'base64').toString())).toEqual(body);
  });

  it.each([
    ['500-after', {}, 1, 500, 'status 500: status-not-listed'],
    ['500-before', {}, 0, 500, 'status 500: status-not-listed'],
    ['slow', { ms: 30_000 }, 1, null, 'no whole head came back: deadline'],
    ['reset-mid-body', {}, 1, 201, 'status 201, body broken: ECONNRESET: body-broken'],
  ] as const)('uncertain: con:CRASH-23 after %s nobody knows, and nothing is sent again', async (fault, more, executed, status, detail) => {
    await bench.plan(fault, more);
    await oneTicket();
    await settled('uncertain');
    expect((await outcome()).evidence).toEqual([['uncertain', 1, status, detail]]);
    const ledger = await bench.ledger();
    expect([ledger.length, ledger.filter((entry) => entry.executed).length]).toEqual([1, executed]);
  });

  it('no_effect: a refusal that the frozen profile calls final is not tried again', async () => {
    let calls = 0;
    await bench.to((req, res) => {
      calls += 1;
      answering(422, '{"error":"requester"}')(req, res);
    });
    await oneTicket();
    await settled('no_effect');
    expect((await outcome()).evidence).toEqual([['no_effect', 1, 422, 'status 422: refused for good']]);
    expect(calls).toBe(1);
  });

  it('prepared, then no_effect: con:CRASH-22 a provider that nobody reaches costs an attempt each time, up to attempts_max', async () => {
    bench.toNobody();
    await oneTicket();
    await settled('no_effect');
    const refused = ['no_effect', 0, null, 'nothing was sent: proxy connect-failed'];
    expect((await outcome()).evidence).toEqual([refused, refused]);
    expect(await permits()).toEqual(['returned', 'returned']);
  });

  it('finalized: con:REFF-06 the attempt after one that never began succeeds under a permit of its own', async () => {
    await schema.reset();
    epoch = await demoEpoch(schema, { ...HURRIED, attempts_max: 5, backoff: { first_ms: 300, factor: 1, cap_ms: 300 } });
    bench.toNobody();
    await oneTicket();
    await bench.until(async () => (await outcome()).evidence.length === 1, 'a first attempt');
    expect((await outcome()).effects).toEqual(['prepared']);
    bench.toSimulator();
    await settled('finalized');
    const { evidence } = await outcome();
    expect(evidence.map(([word]) => word)).toEqual([...evidence.slice(1).map(() => 'no_effect'), 'remote_confirmed']);
    expect([(await bench.ledger()).length, (await permits()).length]).toEqual([1, evidence.length]);
  });

  it('uncertain: a Retry-After proves nothing where the profile does not list the status', async () => {
    let calls = 0;
    await bench.to((_req, res) => {
      calls += 1;
      res.writeHead(503, { 'retry-after': '0' }).end('{}');
    });
    await oneTicket();
    await settled('uncertain');
    expect((await outcome()).evidence).toEqual([['uncertain', 1, 503, 'status 503: status-not-listed']]);
    expect(calls).toBe(1);
  });

  it('uncertain: a redirect is never followed', async () => {
    let calls = 0;
    await bench.to((_req, res) => {
      calls += 1;
      res.writeHead(302, { location: `http://desk.tern.example/v1/tickets` }).end();
    });
    await oneTicket();
    await settled('uncertain');
    expect((await outcome()).evidence).toEqual([['uncertain', 1, 302, 'status 302: status-not-listed']]);
    expect(calls).toBe(1);
  });

  it('uncertain: an answer over the cap is cut there and proves nothing', async () => {
    await bench.to((_req, res) => {
      res.writeHead(201);
      for (let chunk = 0; chunk < 5; chunk += 1) res.write(Buffer.alloc(32_768, 'x'));
      res.end();
    });
    await oneTicket();
    await settled('uncertain');
    const [row] = await schema.sql('SELECT status, detail, LENGTH(answer) AS held FROM con_effect_evidence');
    expect(row).toMatchObject({ status: 201, detail: Buffer.from('status 201, body broken: over-cap: body-broken'), held: 65_536 });
  });
});

describe('held back', () => {
  it('granted: a request that is not what was authored never leaves', async () => {
    await pushedTicket(schema, epoch, 'ref-1');
    await schema.sql("UPDATE run_outbound_command SET request = REPLACE(request, '/v1/tickets', '/v1/tickety')");
    await bench.dispatcher();
    await bench.adapter();
    await bench.until(() => noted('permit-held-back'), 'a permit that is held back');
    expect(bench.lines.join('')).toContain('REQUEST_DIGEST_MISMATCH');
    expect([await permits(), await bench.ledger()]).toEqual([['granted'], []]);
  });

  it('granted: con:CRED-R without the exact version of its secret a permit waits, takes no slot, and is sent when it is there', async () => {
    await schema.sql("UPDATE ctl_credential_generation SET secret_version = '7'");
    await bench.dispatcher();
    await bench.adapter({ env: { CONNECTOR_CALL_SLOTS: '1' } });
    for (const reference of ['ref-1', 'ref-2']) await pushedTicket(schema, epoch, reference);
    await bench.until(async () => (await permits()).length === 2, 'two permits, one slot');
    expect(bench.lines.join('')).toContain('SECRET_VERSION_GONE');
    expect([await permits(), await bench.ledger()]).toEqual([['granted', 'granted'], []]);
    await bench.home.secret('provider/tern/acme', CANARY, '7');
    await settled('finalized', 2);
    expect(await bench.ledger()).toHaveLength(2);
  });

  it('granted: con:SEND-X a revoked credential is not sent with, and nothing is asked of the provider', async () => {
    const { name, fence, generation } = await registeredName();
    await pushedTicket(schema, epoch, 'ref-1');
    await granted(schema.db, epoch.destination, { holderId: name, holderFence: fence });
    await schema.sql("UPDATE con_credential_gate SET mode = 'revoked', fence = fence + 1");
    await bench.dispatcher();
    await bench.adapter({ holder: name, generation });
    await bench.until(() => noted('permit-held-back'), 'a permit that is held back');
    expect(bench.lines.join('')).toContain('credential-revoked');
    expect([await permits(), await bench.ledger()]).toEqual([['granted'], []]);
  });

  it('finalized: con:REE-X con:REE-O the permit of a revoked credential is closed as unsent; reenabled, one call is made on the new fence', async () => {
    const { name, fence, generation } = await registeredName();
    await pushedTicket(schema, epoch, 'ref-1');
    const held = await granted(schema.db, epoch.destination, { holderId: name, holderFence: fence });
    const { account } = epoch.destination;
    await revoked(schema, account, epoch.credentialGenerationId);
    await bench.dispatcher();
    await bench.adapter({ holder: name, generation });
    await bench.until(() => noted('permit-held-back'), 'a permit that is held back');
    await reenabled(schema, account, epoch.credentialGenerationId);
    expect(await bench.ledger()).toEqual([]);
    await abandonPermits(schema.db, { operationId: OperationId.mint(), account, requestedBy: 'test', permits: held });
    await settled('finalized', 1);
    expect([(await permits()).toSorted(), (await bench.ledger()).length]).toEqual([['abandoned', 'returned'], 1]);
  });

  it('prepared: while the proxy does not know this generation nothing is asked for, so no attempt is used up', async () => {
    const generation = GenerationId.mint();
    await bench.dispatcher();
    const adapter = await bench.adapter({ generation });
    await bench.until(async () => (await adapter.health.readiness()).ready, 'ready');
    await bench.proxy.withdraw(generation);
    await pushedTicket(schema, epoch, 'ref-1');
    await bench.until(async () => (await adapter.health.readiness()).failing.includes('egress-proxy'), 'unready');
    await bench.until(async () => (await outcome()).effects[0] === 'prepared', 'prepared again');
    const { evidence } = await outcome();
    expect(evidence).toEqual([['no_effect', 0, null, 'nothing was sent: proxy token-refused']]);
    expect(await bench.ledger()).toEqual([]);
  });
});

interface Registered {
  readonly name: string;
  readonly fence: HolderFence;
  readonly generation: GenerationId;
}
/** A name that a process of this generation has taken before it died. */
async function registeredName(): Promise<Registered> {
  const generation = GenerationId.mint();
  const answer = await registerHolder(schema.db, { holderId: 'egress-1', generationId: generation });
  if (answer.kind !== 'registered') throw new Error(answer.kind);
  return { name: 'egress-1', fence: answer.holderFence, generation };
}

const CUTS = [{ kind: 'before' }, { kind: 'late', ms: 15 }, { kind: 'withheld' }] as const;

describe('one request per permit', () => {
  it.each(CUTS)('con:SEND-O when the COMMIT of SEND is unknown, cut $kind, the invocation sends once', async (cut) => {
    const proxy = await CommitProxy.open();
    await bench.dispatcher();
    await bench.adapter({ env: { CONNECTOR_DATABASE_PORT: String(proxy.port) } });
    for (let time = 0; time < 2; time += 1) void proxy.plan('start-sending', cut);
    await pushedTicket(schema, epoch, 'ref-1');
    await settled('finalized');
    expect([proxy.cuts, (await bench.ledger()).length, await permits()]).toEqual([2, 1, ['returned']]);
    await bench.rest();
    await proxy.close();
  });

  it.each(CUTS)('con:SETL-O when the COMMIT of a settlement is unknown, cut $kind, it is settled once', async (cut) => {
    const proxy = await CommitProxy.open();
    await bench.dispatcher();
    await bench.adapter({ env: { CONNECTOR_DATABASE_PORT: String(proxy.port) } });
    for (let time = 0; time < 2; time += 1) void proxy.plan('settle-permits', cut);
    await pushedTicket(schema, epoch, 'ref-1');
    await settled('finalized');
    // A settlement whose answer alone was lost has landed: the rest goes on before the adapter has asked again.
    await bench.until(() => proxy.cuts === 2, 'both cuts');
    expect([(await bench.ledger()).length, (await outcome()).evidence.length]).toEqual([1, 1]);
    await bench.rest();
    await proxy.close();
  });

  it('con:CRASH-28 permits that another process left granted or sending are not touched: they wait for isolation', async () => {
    const before = { holderId: 'egress-1', holderFence: (await registeredName()).fence };
    for (const reference of ['ref-1', 'ref-2']) await pushedTicket(schema, epoch, reference);
    const held = await granted(schema.db, epoch.destination, before);
    await sending(schema.db, before, epoch.credentialGenerationId, held.slice(0, 1));
    await bench.dispatcher();
    await bench.adapter();
    await pushedTicket(schema, epoch, 'ref-3');
    await settled('finalized');
    expect((await permits()).toSorted()).toEqual(['granted', 'returned', 'sending']);
    expect((await bench.ledger()).map(({ key }) => key)).toEqual(['ref-3']);
  });

  it('con:CRASH-21 a process that comes back under its own generation sends what is granted and leaves what is sending', async () => {
    const { name, fence, generation } = await registeredName();
    const itself = { holderId: name, holderFence: fence };
    for (const reference of ['ref-1', 'ref-2']) await pushedTicket(schema, epoch, reference);
    const held = await granted(schema.db, epoch.destination, itself);
    await sending(schema.db, itself, epoch.credentialGenerationId, held.slice(0, 1));
    await bench.dispatcher();
    await bench.adapter({ holder: name, generation });
    await settled('finalized');
    expect((await permits()).toSorted()).toEqual(['returned', 'sending']);
    expect(await bench.ledger()).toHaveLength(1);
    expect(await permitsOfHolder(schema.db, itself, 'sending', 10)).toHaveLength(1);
  });

  it('con:SEND-O of two adapters with four slots each and forty tickets every ticket is created once', async () => {
    await bench.dispatcher();
    for (const holder of ['egress-1', 'egress-2']) await bench.adapter({ holder, env: { CONNECTOR_CALL_SLOTS: '4' } });
    const references = Array.from({ length: 40 }, (_, index) => `ref-${index}`);
    for (const reference of references) await pushedTicket(schema, epoch, reference);
    await settled('finalized', 40);
    expect((await bench.ledger()).map(({ key }) => key).toSorted()).toEqual(references.toSorted());
    const [row] = await schema.sql('SELECT COUNT(*) AS n, COUNT(DISTINCT effect_id) AS effects FROM con_dispatch_permit');
    expect(row).toEqual({ n: '40', effects: '40' });
  });

  it('con:OPEN-29 never more calls at once than there are slots, also of permits that a larger one was granted', async () => {
    const { name, fence, generation } = await registeredName();
    for (let index = 0; index < 6; index += 1) await pushedTicket(schema, epoch, `ref-${index}`);
    await granted(schema.db, epoch.destination, { holderId: name, holderFence: fence });
    let [now, most] = [0, 0];
    await bench.to((_req, res) => {
      now += 1;
      most = Math.max(most, now);
      setTimeout(() => {
        now -= 1;
        answering(400, '{}')(_req, res);
      }, 100);
    });
    await bench.dispatcher();
    await bench.adapter({ holder: name, generation, env: { CONNECTOR_CALL_SLOTS: '2' } });
    for (let index = 6; index < 12; index += 1) await pushedTicket(schema, epoch, `ref-${index}`);
    await settled('no_effect', 12);
    expect(most).toBe(2);
  });
});

describe('a stop', () => {
  it('drains: con:CRASH-34 the call in hand ends and is settled before the process does', async () => {
    await bench.plan('slow', { ms: 400 });
    await bench.dispatcher();
    const adapter = await bench.adapter();
    await pushedTicket(schema, epoch, 'ref-1');
    await bench.until(async () => (await bench.ledger()).length === 1, 'a call in hand');
    await adapter.stop();
    expect([await permits(), (await outcome()).evidence[0]?.[0]]).toEqual([['returned'], 'remote_confirmed']);
  });

  it('fenced off: a process whose name was taken asks for nothing and sends nothing more', async () => {
    await bench.dispatcher();
    const first = await bench.adapter();
    await bench.until(async () => (await first.health.readiness()).ready, 'ready');
    await registerHolder(schema.db, { holderId: 'egress-1', generationId: GenerationId.mint() });
    await pushedTicket(schema, epoch, 'ref-1');
    await bench.until(() => noted('holder-fenced-off'), 'fenced off');
    await settled('prepared');
    expect((await first.health.readiness()).failing).toEqual(['holder']);
    expect([await permits(), await bench.ledger()]).toEqual([[], []]);
  });
});

describe('canary', () => {
  it('nowhere: con:INV-18 the credential is in no row, no log line, no metric and no answer that is kept', async () => {
    const needles = canaryNeedles(Buffer.from(CANARY));
    const seen: (string | undefined)[] = [];
    await bench.to((req, res) => {
      seen.push(req.headers.authorization);
      if (seen.length % 2 === 1)
        return answering(201, JSON.stringify({ id: `t${seen.length}`, you_sent: req.headers.authorization }))(req, res);
      res.writeHead(201, { 'content-length': '100', 'x-echo': String(req.headers.authorization) });
      res.write('{');
      setImmediate(() => res.destroy());
    });
    await bench.dispatcher({ CONNECTOR_LOG_LEVEL: 'debug' });
    const adapter = await bench.adapter({ env: { CONNECTOR_LOG_LEVEL: 'debug', CONNECTOR_CALL_SLOTS: '1' } });
    for (const reference of ['ref-1', 'ref-2']) await pushedTicket(schema, epoch, reference);
    await bench.until(async () => (await outcome()).evidence.length === 2, 'two calls');
    expect(seen).toEqual([`Bearer ${CANARY}`, `Bearer ${CANARY}`]);
    await bench.until(async () => (await outcome()).effects.includes('finalized'), 'finalized');
    for (const { name } of MAIN_TABLES) {
      for (const row of await schema.sql(`SELECT * FROM ${name}`)) expect([name, scanRow(row, needles)]).toEqual([name, []]);
    }
    const metrics = await (await fetch(`${adapter.url}/metrics`)).text();
    expect(bench.lines.length).toBeGreaterThan(3);
    expect(scanBytes(Buffer.from(bench.lines.join('') + metrics), needles)).toEqual([]);
    const details = (await outcome()).evidence.map(([, , , detail]) => detail);
    expect(details.filter((detail) => detail.includes('it repeats the credential'))).toHaveLength(1);
  });
});
