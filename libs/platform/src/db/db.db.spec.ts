import { binary, born, bytes, instant, int, name, nullable, u64 } from '@connector/kernel/column';
import { DefectFault, RetryableFault, UndeterminedFault } from '@connector/kernel/faults';
import { doors, writePaths } from '@connector/kernel/paths';
import { lockRows, readRows, updateRows } from '@connector/kernel/statement';
import { table } from '@connector/kernel/table';
import { openSchemaOf, type TestSchema } from '@connector/testing/database';
import { Signals } from '@connector/testing/signals';

const gates = table('t_gate', {
  about: 'first in the order',
  rank: 'gate',
  columns: { gate_key: name(32), fence: u64(), note: nullable(name(64)) },
  primary: ['gate_key'],
});
const permits = table('t_permit', {
  about: 'later in the order',
  rank: 'permit',
  columns: { permit_key: int(), token: binary(16), body: bytes(100_000), at: born(), due: nullable(instant()) },
  primary: ['permit_key'],
  unique: { token: ['token'] },
});
const paths = writePaths({
  all: {
    code: 'ALL',
    about: 'every statement of this spec',
    again: 'nothing',
    steps: [
      'lock t_gate',
      'read t_gate',
      'insert t_gate',
      'update t_gate',
      'lock t_permit',
      'read t_permit',
      'insert t_permit',
      'update t_permit',
    ],
  },
  one: { code: 'ONE', about: 'gate only', again: 'nothing', steps: ['lock t_gate'] },
});
const { everything, gateOnly } = doors(paths, {
  everything: { paths: ['all'], by: ['ingress'] },
  gateOnly: { paths: ['one'], by: ['ingress'] },
});
const LOCK_GATE = lockRows(gates, ['gate_key', 'fence'], 'WHERE gate_key IN (:gate_key)');
const READ_GATE = readRows(gates, ['fence', 'note'], 'WHERE gate_key = :gate_key');
const CAS_GATE = updateRows(gates, 'SET fence = :fence.next WHERE gate_key = :gate_key AND fence = :fence');
const LOCK_PERMIT = lockRows(permits, ['permit_key'], 'WHERE permit_key IN (:permit_key)');
const READ_PERMIT = readRows(permits, ['permit_key', 'token', 'body', 'at', 'due'], 'WHERE permit_key = :permit_key');

let schema: TestSchema;

beforeAll(async () => {
  schema = await openSchemaOf([gates, permits]);
});
beforeEach(async () => {
  await schema.reset();
  await schema.sql("INSERT INTO t_gate (gate_key, fence, note) VALUES ('a', 1, NULL), ('b', 1, 'x')");
});
afterAll(() => schema.close());

const token = (byte: number): Buffer => Buffer.alloc(16, byte);
const permit = (key: number) => ({ permit_key: key, token: token(key), body: Buffer.from('x'), due: null });
async function fences(): Promise<readonly string[]> {
  return (await schema.sql('SELECT fence FROM t_gate ORDER BY gate_key')).map(({ fence }) => String(fence));
}

describe('Db.fenced', () => {
  it('commits what its body wrote and answers what it returned', async () => {
    const answer = await schema.db.fenced(everything, async (tx) => {
      await tx.lock(LOCK_GATE, { gate_key: 'a' });
      return { kind: 'moved', landed: await tx.cas(CAS_GATE, { gate_key: 'a', fence: 1n, 'fence.next': 2n }) };
    });
    expect(answer).toEqual({ kind: 'moved', landed: true });
    expect(await fences()).toEqual(['2', '1']);
  });

  it('rolls back whatever was written when the body throws, and the connection is clean for the next', async () => {
    const thrown = schema.db.fenced(everything, async (tx) => {
      await tx.cas(CAS_GATE, { gate_key: 'a', fence: 1n, 'fence.next': 9n });
      throw new DefectFault('HOUSE:test:Planted', 'planted');
    });
    await expect(thrown).rejects.toMatchObject({ code: 'HOUSE:test:Planted' });
    expect(await fences()).toEqual(['1', '1']);
  });

  it('a compare-and-swap that does not land says false and changes nothing; one that changes no value still counts as met', async () => {
    const [stale, same] = await schema.db.fenced(everything, async (tx) => [
      await tx.cas(CAS_GATE, { gate_key: 'a', fence: 7n, 'fence.next': 8n }),
      await tx.cas(CAS_GATE, { gate_key: 'a', fence: 1n, 'fence.next': 1n }),
    ]);
    expect([stale, same]).toEqual([false, true]);
  });

  it('keeps 64-bit integers, binary and time without loss', async () => {
    const exact = {
      ...permit(1),
      token: Buffer.from('00ff00ff5c27220a0d1a000000000020', 'hex'),
      body: Buffer.from([0, 39, 92, 34, 26, 255, 32]),
    };
    await schema.db.fenced(everything, async (tx) => {
      await tx.insert(gates, [{ gate_key: 'max', fence: 18446744073709551615n, note: 'trailing space ' }]);
      await tx.insert(permits, [exact]);
    });
    const [gate] = await schema.db.read(READ_GATE, { gate_key: 'max' });
    expect(gate).toEqual({ fence: 18446744073709551615n, note: 'trailing space ' });
    const [row] = await schema.db.read(READ_PERMIT, { permit_key: 1 });
    expect(row).toMatchObject({ token: exact.token, body: exact.body, due: null });
    expect(row?.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    await schema.db.fenced(everything, (tx) =>
      tx.cas(CAS_GATE, { gate_key: 'max', fence: 18446744073709551615n, 'fence.next': 9007199254740993n }),
    );
    expect((await schema.db.readOne(READ_GATE, { gate_key: 'max' }))?.fence).toBe(9007199254740993n);
  });

  it('inserts a thousand rows in a few statements, and refuses bytes that a column does not hold before it asks the database', async () => {
    const seen = new Signals();
    const db = schema.another(seen.hook);
    await db.fenced(everything, (tx) =>
      tx.insert(
        permits,
        Array.from({ length: 1000 }, (_, key) => ({ ...permit(key), token: Buffer.from(key.toString(16).padStart(32, '0'), 'hex') })),
      ),
    );
    expect(seen.seen.filter((point) => point === 'everything/insert t_permit')).toHaveLength(2);
    const wrong = schema.db.fenced(everything, (tx) => tx.insert(permits, [{ ...permit(5000), token: Buffer.alloc(15) }]));
    await expect(wrong).rejects.toMatchObject({ code: 'HOUSE:kernel:BytesLength' });
  });

  it('answers a duplicate by the name of its key, and the transaction goes on', async () => {
    const answer = await schema.db.fenced(everything, async (tx) => {
      await tx.insert(permits, [permit(1)]);
      const byToken = await tx.insertNew(permits, { ...permit(2), token: token(1) });
      const byPrimary = await tx.insertNew(permits, { ...permit(1), token: token(9) });
      return [byToken, byPrimary, await tx.insertNew(permits, permit(3))];
    });
    expect(answer).toEqual([{ duplicate: 'u_token' }, { duplicate: 'PRIMARY' }, 'inserted']);
    expect(await schema.sql('SELECT permit_key FROM t_permit ORDER BY permit_key')).toEqual([{ permit_key: 1 }, { permit_key: 3 }]);
  });

  it('a duplicate where the gate should have serialized the writers is a defect and commits nothing', async () => {
    const twice = schema.db.fenced(everything, (tx) => tx.insert(permits, [permit(1), permit(1)]));
    await expect(twice).rejects.toMatchObject({ name: 'DefectFault', code: 'HOUSE:db:Duplicate' });
    expect(await schema.sql('SELECT permit_key FROM t_permit')).toEqual([]);
  });

  it('refuses a statement that the paths of the door do not list', async () => {
    const outside = schema.db.fenced(gateOnly, (tx) => tx.cas(CAS_GATE, { gate_key: 'a', fence: 1n, 'fence.next': 2n }));
    await expect(outside).rejects.toMatchObject({ code: 'HOUSE:db:NotInDoor' });
    expect(await fences()).toEqual(['1', '1']);
  });

  it('refuses a lock against the one order: a later rank first, and within a rank a lower key after a higher one', async () => {
    const ranks = schema.db.fenced(everything, async (tx) => {
      await tx.lockMany(LOCK_PERMIT, { permit_key: [1] });
      await tx.lock(LOCK_GATE, { gate_key: 'a' });
    });
    await expect(ranks).rejects.toMatchObject({ code: 'HOUSE:db:LockOrder' });
    const keys = schema.db.fenced(everything, async (tx) => {
      await tx.lock(LOCK_GATE, { gate_key: 'b' });
      await tx.lock(LOCK_GATE, { gate_key: 'a' });
    });
    await expect(keys).rejects.toMatchObject({ code: 'HOUSE:db:LockOrder' });
    const update = schema.db.fenced(everything, async (tx) => {
      await tx.lockMany(LOCK_PERMIT, { permit_key: [1] });
      await tx.cas(CAS_GATE, { gate_key: 'a', fence: 1n, 'fence.next': 2n });
    });
    await expect(update).rejects.toMatchObject({ code: 'HOUSE:db:LockOrder' });
  });

  it('sorts an IN list, so two callers with the same keys in other orders cannot cross', async () => {
    const rows = await schema.db.fenced(everything, (tx) => tx.lockMany(LOCK_GATE, { gate_key: ['b', 'a', 'b'] }));
    expect(rows.map((row) => row.gate_key)).toEqual(['a', 'b']);
  });

  it('con:ADM-L a row that another transaction holds is waited for, bounded, and then the fault says: again', async () => {
    const signals = new Signals();
    const stop = signals.stopAt('everything/commit');
    const holder = schema.another(signals.hook).fenced(everything, (tx) => tx.lock(LOCK_GATE, { gate_key: 'a' }));
    await stop.reached;
    const waiter = schema.impatient().fenced(everything, async (tx) => {
      await tx.insert(permits, [permit(7)]);
      await tx.lock(LOCK_GATE, { gate_key: 'b' });
      return tx.cas(CAS_GATE, { gate_key: 'a', fence: 1n, 'fence.next': 2n });
    });
    await expect(waiter).rejects.toBeInstanceOf(RetryableFault);
    stop.release();
    await holder;
    // 1205 leaves its transaction open with the earlier statements pending; nothing of it may be there.
    expect(await schema.sql('SELECT permit_key FROM t_permit')).toEqual([]);
  });

  it('crossed locks end in one retryable fault, and the other transaction commits (PUB-DB-04)', async () => {
    const cross = (first: string, second: string, signals: Signals) =>
      schema.another(signals.hook).fenced(everything, async (tx) => {
        await tx.cas(CAS_GATE, { gate_key: first, fence: 1n, 'fence.next': 1n });
        return tx.cas(CAS_GATE, { gate_key: second, fence: 1n, 'fence.next': 1n });
      });
    const [one, two] = [new Signals(), new Signals()];
    one.stopAt('everything/begin').release();
    const stops = [one, two].map((signals) => {
      signals.stopAt('everything/update t_gate').release();
      return signals.stopAt('everything/update t_gate');
    });
    const both = [cross('a', 'b', one), cross('b', 'a', two)];
    await Promise.all(stops.map(({ reached }) => reached));
    for (const stop of stops) stop.release();
    const ends = await Promise.allSettled(both);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({ reason: expect.any(RetryableFault) as unknown });
  });

  it('a connection that dies before COMMIT was nothing: the fault says again', async () => {
    const signals = new Signals();
    const stop = signals.stopAt('everything/update t_gate');
    const cut = schema.another(signals.hook).fenced(everything, (tx) => tx.cas(CAS_GATE, { gate_key: 'a', fence: 1n, 'fence.next': 2n }));
    await stop.reached;
    await killAll();
    stop.release();
    await expect(cut).rejects.toBeInstanceOf(RetryableFault);
    expect(await fences()).toEqual(['1', '1']);
  });

  it('a connection that dies at COMMIT is undetermined, never a success and never a plain retry', async () => {
    const signals = new Signals();
    const stop = signals.stopAt('everything/commit');
    const cut = schema.another(signals.hook).fenced(everything, (tx) => tx.cas(CAS_GATE, { gate_key: 'a', fence: 1n, 'fence.next': 2n }));
    await stop.reached;
    await killAll();
    stop.release();
    await expect(cut).rejects.toBeInstanceOf(UndeterminedFault);
  });

  it('what failed on a broken connection does not break the next transaction', async () => {
    const db = schema.another();
    await db.ping();
    await killAll();
    await db.ping().catch(() => undefined);
    await db.fenced(everything, (tx) => tx.cas(CAS_GATE, { gate_key: 'a', fence: 1n, 'fence.next': 2n }));
    expect(await fences()).toEqual(['2', '1']);
  });

  it('sessions that broke while nobody used them are not handed out: after an outage nobody pays for each of them', async () => {
    const db = schema.another();
    await Promise.all(Array.from({ length: 4 }, () => db.ping()));
    expect((await others()).length).toBeGreaterThanOrEqual(4);
    await killAll();
    // One more round trip than the server needs to forget them, so that their ends have arrived here.
    for (let looks = 0; looks < 1_000 && (await others()).length > 0; looks += 1);
    await schema.sql('SELECT 1');
    const ends = await Promise.allSettled(Array.from({ length: 4 }, () => db.ping()));
    expect(ends.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'fulfilled'));
  });

  it('a fault names the statement and never a value', async () => {
    const secret = 'planted-canary';
    const fault: unknown = await schema.db
      .fenced(everything, (tx) =>
        tx.insert(permits, [
          { ...permit(1), body: Buffer.from(secret) },
          { ...permit(1), body: Buffer.from(secret) },
        ]),
      )
      .catch((thrown: unknown) => thrown);
    expect(String((fault as Error).message)).not.toContain(secret);
    expect(String((fault as Error).message)).not.toContain(Buffer.from(secret).toString('hex'));
  });
});

const others = (): Promise<readonly Record<string, unknown>[]> =>
  schema.sql('SELECT id FROM information_schema.processlist WHERE db = ? AND id <> CONNECTION_ID()', [schema.database]);

/** Ends every other connection to the schema, as a database restart would. */
async function killAll(): Promise<void> {
  for (const { id } of await others()) await schema.sql(`KILL ${Number(id)}`).catch(() => undefined);
}
