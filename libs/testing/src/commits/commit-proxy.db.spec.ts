import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { randomBytes } from 'node:crypto';
import { RetryableFault, UndeterminedFault } from '@connector/kernel/faults';
import { OperationId } from '@connector/kernel/ids';
import { connectorDoors } from '@connector/connector/model/paths';
import { haltGate, type HaltGate } from '@connector/connector/transitions/serving/halt-gate.tx';
import { Db } from '@connector/platform/db/db';
import { Pool } from '@connector/platform/db/pool';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { mainSchema, type TestSchema } from '../database';
import { testDatabase } from '../engine';
import { serveAccounts, type ServedAccount } from '../fixtures/account';
import { CommitProxy, type Cut } from './commit-proxy';
import { packet, query } from './mysql-packets';

const OK = packet(1, Buffer.of(0, 0, 0, 2, 0));
const COMMIT = query('/* door */ COMMIT');
const HUGE = 3 * 1024 * 1024;

describe('a proxy before a server that only counts', () => {
  let server: Server;
  let proxy: CommitProxy;
  let client: Socket;
  let arrived: Buffer[];
  let back: Buffer[];

  beforeEach(async () => {
    [arrived, back] = [[], []];
    server = createServer((socket) => {
      socket.on('data', (chunk: Buffer) => {
        arrived.push(chunk);
        // Every COMMIT is answered, whatever stands before it in the same read.
        if (Buffer.concat(arrived).subarray(-COMMIT.length).equals(COMMIT)) socket.write(OK);
      });
      socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    proxy = await CommitProxy.open({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
    client = connect({ host: '127.0.0.1', port: proxy.port });
    client.on('data', (chunk: Buffer) => back.push(chunk)).on('error', () => undefined);
    await once(client, 'connect');
  });
  afterEach(async () => {
    client.destroy();
    await proxy.close();
    server.close();
  });

  it('untouched: what nobody planned for arrives byte for byte, in reads of any size', async () => {
    void proxy.plan('other', { kind: 'before' });
    const huge = query(randomBytes(HUGE).toString('latin1'));
    const sent = Buffer.concat([packet(1, Buffer.from('login')), huge, COMMIT]);
    for (let at = 0; at < sent.length; at += 70_001) client.write(sent.subarray(at, at + 70_001));
    await once(client, 'data');
    expect(Buffer.concat(arrived).equals(sent)).toBe(true);
    expect([Buffer.concat(back), proxy.cuts, proxy.forget()]).toEqual([OK, 0, 1]);
  });

  it.each([{ kind: 'before' }, { kind: 'late', ms: 5 }, { kind: 'withheld' }] as const)(
    '$kind: a COMMIT that came in two reads is cut, and the client has no byte of an answer',
    async (cut) => {
      const fate = proxy.plan('door', cut);
      const closed = once(client, 'close').then(() => performance.now());
      client.write(COMMIT.subarray(0, 9));
      client.write(COMMIT.subarray(9));
      const [{ landed, atMs }, closedMs] = await Promise.all([fate, closed]);
      expect([landed, arrived.length > 0, back]).toEqual([cut.kind !== 'before', cut.kind !== 'before', []]);
      if (cut.kind === 'late') expect(atMs - closedMs).toBeGreaterThan(0);
    },
  );
});

describe('a proxy before the database', () => {
  let schema: TestSchema;
  let proxy: CommitProxy;
  let db: Db;
  let served: ServedAccount;

  beforeAll(async () => {
    schema = await mainSchema();
    proxy = await CommitProxy.open();
    const { user, password } = testDatabase();
    db = new Db({ pool: new Pool({ host: '127.0.0.1', port: proxy.port, user, password, database: schema.database, size: 2 }) });
  });
  beforeEach(async () => {
    await schema.reset();
    [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
  });
  afterAll(async () => {
    await db.close();
    await proxy.close();
    await schema.close();
  });

  const halt = (): (() => Promise<HaltGate>) => {
    const { account, fence } = served;
    const move = { operationId: OperationId.mint(), account, expectedFence: fence, by: 'test', reason: 'test' };
    return () => haltGate(db, move);
  };
  const mode = async (): Promise<string> => String((await schema.sql('SELECT mode FROM con_serving_gate'))[0]?.['mode']);

  it.each<[Cut, string]>([
    [{ kind: 'before' }, 'v2_serving'],
    [{ kind: 'late', ms: 5 }, 'halting_v2'],
    [{ kind: 'withheld' }, 'halting_v2'],
  ])('undetermined: cut %j, and only the database knows', async (cut, becomes) => {
    const fate = proxy.plan('halt-gate', cut);
    await expect(halt()()).rejects.toBeInstanceOf(UndeterminedFault);
    expect([(await fate).landed, await mode()]).toEqual([becomes === 'halting_v2', becomes]);
  });

  it('again: cut before any statement of a transaction, nothing of it is there, and the next try lands', async () => {
    const run = halt();
    await run();
    await schema.reset();
    [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
    const statements = proxy.statementsOf('halt-gate');
    expect(statements).toBe(1 + connectorDoors['halt-gate'].steps.length);
    for (let statement = 0; statement < statements; statement += 1) {
      const fate = proxy.plan('halt-gate', { kind: 'before', statement });
      await expect(halt()()).rejects.toBeInstanceOf(RetryableFault);
      expect([(await fate).landed, await mode(), await schema.sql('SELECT 1 FROM con_operation')]).toEqual([false, 'v2_serving', []]);
    }
    expect(await halt()()).toMatchObject({ kind: 'halting' });
  });

  it.each([9001, 9002, 9005])('undetermined: %i at COMMIT, though it had committed, is settled by the same operation', async (errno) => {
    const run = halt();
    void proxy.plan('halt-gate', { kind: 'denied', errno });
    await expect(run()).rejects.toBeInstanceOf(UndeterminedFault);
    expect(await run()).toMatchObject({ kind: 'halting' });
    expect(await schema.sql('SELECT 1 FROM con_audit_outbox')).toHaveLength(1);
  });

  it.each([9007, 8022, 1213])(
    'one success: %i at COMMIT runs the whole transaction again from its beginning (PUB-DB-04)',
    async (errno) => {
      for (let time = 0; time < 3; time += 1) void proxy.plan('halt-gate', { kind: 'refused', errno });
      expect(await retrying(ANSWER_SOON, halt())).toMatchObject({ kind: 'halting' });
      const rows = [await schema.sql('SELECT 1 FROM con_audit_outbox'), await schema.sql('SELECT 1 FROM con_operation')];
      expect(rows.map((found) => found.length)).toEqual([1, 1]);
    },
  );

  it('fence-moved: the next try reads anew, and what moved the gate between the two is what it answers to (PUB-DB-04)', async () => {
    void proxy.plan('halt-gate', { kind: 'refused', errno: 9007 });
    const run = halt();
    let tries = 0;
    const answer = await retrying(ANSWER_SOON, async () => {
      tries += 1;
      if (tries === 2) await schema.sql('UPDATE con_serving_gate SET fence = fence + 1');
      return run();
    });
    expect([answer.kind, tries, await mode()]).toEqual(['fence-moved', 2, 'v2_serving']);
  });

  it('a retryable refusal after the bounded number of tries, and no row of any of them (PUB-DB-04)', async () => {
    const before = proxy.cuts;
    for (let time = 0; time < ANSWER_SOON.attempts; time += 1) void proxy.plan('halt-gate', { kind: 'refused', errno: 9007 });
    await expect(retrying(ANSWER_SOON, halt())).rejects.toBeInstanceOf(RetryableFault);
    expect([proxy.cuts - before, await mode()]).toEqual([ANSWER_SOON.attempts, 'v2_serving']);
    expect(await schema.sql('SELECT 1 FROM con_operation')).toEqual([]);
  });
});
