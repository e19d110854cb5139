import type { AccountName, GateFence } from '@connector/kernel/brand';
import { InputFault } from '@connector/kernel/faults';
import { OperationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { countOf, forceEpoch, permitRow, serviceRow } from '@connector/testing/fixtures/serving';
import { gateMachine } from '../../model/serving/gate';
import { concludeHalt } from './conclude-halt.tx';
import type { GateMove } from './gate-move';
import { haltGate } from './halt-gate.tx';
import { resumeGate } from './resume-gate.tx';

let schema: TestSchema;
let served: ServedAccount;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  await serviceRow(schema);
  [served] = (await serveAccounts(schema, ['north/acme', 'south/acme'])) as [ServedAccount];
});
afterAll(() => schema.close());

const fenceOf = (fence: bigint): GateFence => fence as GateFence;
function move(change: Partial<GateMove> = {}): GateMove {
  const operationId = OperationId.mint();
  return { operationId, account: served.account, expectedFence: fenceOf(7n), by: 'ops@example', reason: 'maintenance', ...change };
}
async function gate(): Promise<Record<string, unknown>> {
  const [row] = await schema.sql('SELECT mode, fence, changed_by, reason FROM con_serving_gate WHERE account = ?', [
    Buffer.from(served.account),
  ]);
  return Object.fromEntries(Object.entries(row ?? {}).map(([key, value]) => [key, String(value)]));
}
async function setMode(mode: string): Promise<void> {
  await schema.sql('UPDATE con_serving_gate SET mode = ?', [mode]);
}
const untouched = { fence: '7', changed_by: 'test' };

/** The three moves of a V2 gate: what each needs, makes and answers. */
const ASKED = { changed_by: 'ops@example', reason: 'maintenance' };
/** The end of a halt leaves standing who asked for the halt. */
const STANDS = { changed_by: 'test', reason: 'test' };
const MOVES = [
  { name: 'halt-gate', run: haltGate, from: 'v2_serving', to: 'halting_v2', kind: 'halting', rows: 'con:GATE-09 con:HALT-W', story: ASKED },
  {
    name: 'conclude-halt',
    run: concludeHalt,
    from: 'halting_v2',
    to: 'v2_halted',
    kind: 'halted',
    rows: 'con:GATE-10 con:HLTD-W',
    story: STANDS,
  },
  {
    name: 'resume-gate',
    run: resumeGate,
    from: 'v2_halted',
    to: 'v2_serving',
    kind: 'serving',
    rows: 'con:GATE-11 con:RESU-W',
    story: ASKED,
  },
] as const;

describe.each(MOVES)('$name', ({ name, run, from, to, kind, rows, story }) => {
  beforeEach(() => setMode(from));

  it(`${kind}: ${rows} moves ${from} to ${to}, raises the fence by one and says who asked and why (con:SM-ALL-02)`, async () => {
    expect(await run(schema.db, move())).toEqual({ kind, account: 'north/acme', fence: 8n });
    expect(await gate()).toEqual({ mode: to, fence: '8', ...story });
    const [entry] = await schema.sql('SELECT door, account, items FROM con_audit_outbox');
    expect(String(entry?.['door'])).toBe(name);
    expect(JSON.parse(String(entry?.['items']))).toMatchObject([{ gate: 'north/acme', from, to, by: 'ops@example' }]);
    const [neighbour] = await schema.sql('SELECT fence FROM con_serving_gate WHERE account = ?', [Buffer.from('south/acme')]);
    expect(String(neighbour?.['fence'])).toBe('7');
  });

  it(`${kind}: con:OPEN-33 the same operation again is given its first answer, without a write or another fence`, async () => {
    const once = move();
    const first = await run(schema.db, once);
    expect(await run(schema.db, once)).toEqual(first);
    expect(await gate()).toMatchObject({ fence: '8' });
    expect(await countOf(schema, 'con_audit_outbox')).toBe(1);
    expect(await countOf(schema, 'con_operation')).toBe(1);
  });

  it('operation-reused: con:OPEN-33 one operation id stands for one move of one gate', async () => {
    const once = move();
    await run(schema.db, once);
    expect(await run(schema.db, { ...once, account: 'south/acme' as AccountName })).toEqual({ kind: 'operation-reused' });
    expect(await run(schema.db, { ...once, expectedFence: fenceOf(8n) })).toEqual({ kind: 'operation-reused' });
    expect(await countOf(schema, 'con_audit_outbox')).toBe(1);
  });

  it('refused: con:OPEN-33 an operation id that another door used, by its name; nothing is written', async () => {
    const once = move();
    await schema.sql("INSERT INTO con_operation (operation_id, door, answer) VALUES (?, 'abandon-permits', '{}')", [
      OperationId.bytes(once.operationId),
    ]);
    await expect(run(schema.db, once)).rejects.toThrow(InputFault);
    await expect(run(schema.db, once)).rejects.toThrow(/was used for abandon-permits; an operation id stands for one act/);
    expect(await gate()).toMatchObject({ mode: from, fence: '7' });
  });

  it.each(gateMachine.states.filter((mode) => mode !== from))(
    'not-in-mode: con:GATE-M con:GATE-31 a gate in %s stays as it is',
    async (mode) => {
      await setMode(mode);
      expect(await run(schema.db, move())).toEqual({ kind: 'not-in-mode', mode });
      expect(await gate()).toMatchObject({ mode, ...untouched });
      expect(await countOf(schema, 'con_operation')).toBe(0);
    },
  );

  it('fence-moved: whoever asks saw another fence', async () => {
    expect(await run(schema.db, move({ expectedFence: fenceOf(6n) }))).toEqual({ kind: 'fence-moved', fence: 7n });
    expect(await gate()).toMatchObject({ mode: from, ...untouched });
  });

  it('no-gate: the account has none', async () => {
    expect(await run(schema.db, move({ account: 'no/one' as AccountName }))).toEqual({ kind: 'no-gate' });
  });
});

describe('halt-gate', () => {
  it('halting: con:HALT-P con:HALT-O open permits and a corrupt epoch do not hold a halt back', async () => {
    await permitRow(schema, served.account, true);
    await forceEpoch(schema, served.epochId, 'verified');
    expect(await haltGate(schema.db, move())).toMatchObject({ kind: 'halting' });
  });

  it('halting: the account is due for whoever concludes halts', async () => {
    await haltGate(schema.db, move());
    const due = await schema.sql('SELECT stage, account FROM con_account_work WHERE due_at IS NOT NULL');
    expect(due.map((row) => [String(row['stage']), String(row['account'])])).toEqual([['halt', 'north/acme']]);
  });
});

describe('conclude-halt', () => {
  beforeEach(() => setMode('halting_v2'));

  it('open-permits: con:HLTD-P con:HLTD-X every open permit holds the account, however long, and is counted', async () => {
    await permitRow(schema, served.account, true);
    await permitRow(schema, served.account, true);
    await schema.sql("UPDATE con_dispatch_permit SET granted_at = '2020-01-01 00:00:00'");
    expect(await concludeHalt(schema.db, move())).toEqual({ kind: 'open-permits', count: 2 });
    expect(await gate()).toMatchObject({ mode: 'halting_v2', ...untouched });
  });

  it('halted: con:HLTD-O closed permits, and the open ones of another account, do not hold it', async () => {
    await permitRow(schema, served.account, false);
    await permitRow(schema, 'south/acme' as AccountName, true);
    expect(await concludeHalt(schema.db, move())).toMatchObject({ kind: 'halted', fence: 8n });
  });
});

describe('resume-gate', () => {
  beforeEach(() => setMode('v2_halted'));

  it.each(['prepared', 'verified', 'rejected', 'draining', 'retired'])(
    'epoch-not-active: con:RESU-X con:GATE-11 its epoch is %s',
    async (state) => {
      await forceEpoch(schema, served.epochId, state);
      expect(await resumeGate(schema.db, move())).toEqual({ kind: 'epoch-not-active', state });
      expect(await gate()).toMatchObject({ mode: 'v2_halted', ...untouched });
    },
  );

  it('serving: con:RESU-O con:RESU-P one halted account serves again on the epoch that it has, while its neighbour stays halted', async () => {
    await resumeGate(schema.db, move());
    const rows = await schema.sql('SELECT account, mode, epoch_digest FROM con_serving_gate ORDER BY account');
    expect(rows.map((row) => String(row['mode']))).toEqual(['v2_serving', 'v2_halted']);
    expect(rows[0]?.['epoch_digest']).toEqual(rows[1]?.['epoch_digest']);
  });

  it('serving: what waited is looked for again in every stage of this account', async () => {
    await resumeGate(schema.db, move());
    const due = await schema.sql('SELECT account FROM con_account_work WHERE due_at IS NOT NULL AND produced = 1');
    expect(due.map((row) => String(row['account']))).toEqual(Array(6).fill('north/acme'));
  });

  it('defect: without the service row nothing resumes (con:RESU-L)', async () => {
    await schema.sql('DELETE FROM con_service');
    await expect(resumeGate(schema.db, move())).rejects.toThrow('service row');
  });
});
