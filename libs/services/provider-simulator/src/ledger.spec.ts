import { appendFileSync, readFileSync } from 'node:fs';
import { DefectFault } from '@connector/kernel/faults';
import { Journal } from './journal';
import { Ledger } from './ledger';
import {
  call,
  CONTACTS,
  head,
  ledger,
  ledgerFile,
  ledgerWhen,
  makeDir,
  plan,
  raw,
  removeDir,
  start,
  state,
  stop,
  TICKETS,
} from './simulator-bench.fixture';

beforeEach(async () => {
  makeDir();
  await start();
});
afterEach(async () => {
  await stop();
  removeDir();
});

describe('the ledger file', () => {
  it('brings everything back after a restart: entries, records and kept answers', async () => {
    await call(TICKETS, 'POST', '/v1/tickets', { external_ref: 'r' });
    await plan(CONTACTS, '500-after');
    await call(CONTACTS, 'PATCH', '/contacts/c', { a: 1 }, { 'idempotency-key': 'k' });
    const before = await ledgerWhen((entries) => entries.length === 2 && entries.every(({ answer }) => answer === 'whole'));
    const { hosts } = await state();
    await stop();
    await start();
    expect(await ledger()).toEqual(before);
    expect((await state()).hosts).toEqual(hosts);
    expect(await call(CONTACTS, 'PATCH', '/contacts/c', { a: 1 }, { 'idempotency-key': 'k' })).toMatchObject({ status: 200 });
    expect((await call(TICKETS, 'POST', '/v1/tickets', {})).body['id']).toBe('tck_000002');
    expect((await ledger()).map(({ n, executed }) => [n, executed])).toEqual([
      [1, true],
      [2, true],
      [3, false],
      [4, true],
    ]);
  });

  it('has every step in the file before it shows outside', async () => {
    await plan(TICKETS, 'slow', { ms: 60_000 });
    const socket = await raw(`${head(TICKETS, '/v1/tickets', 2)}{}`);
    await ledgerWhen(([entry]) => entry?.executed === true);
    const kinds = readFileSync(ledgerFile(), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { kind: string }).kind);
    expect(kinds).toEqual(['arrived', 'changed', 'changed', 'executed']);
    socket.destroy();
  });

  it('a request that was arriving when the process died is cut', async () => {
    const socket = await raw(`${head(TICKETS, '/v1/tickets', 100)}{"a":`);
    await ledgerWhen(([entry]) => entry?.bytes === 5);
    // A second reader of the same file sees what a next process would see.
    const next = new Ledger(new Journal(ledgerFile()));
    expect(next.page(0, 10)).toMatchObject([{ request: 'cut', executed: false }]);
    next.close();
    socket.destroy();
  });

  it('a last line without its end is taken away, and the next goes in its place', async () => {
    await call(TICKETS, 'POST', '/v1/tickets', {});
    await ledgerWhen(([entry]) => entry?.answer === 'whole');
    await stop();
    const whole = readFileSync(ledgerFile(), 'utf8');
    appendFileSync(ledgerFile(), '{"kind":"executed","n":2,"effect":{"host":"desk.te');
    await start();
    expect(await ledger()).toHaveLength(1);
    expect(readFileSync(ledgerFile(), 'utf8')).toBe(whole);
    expect((await call(TICKETS, 'POST', '/v1/tickets', {})).body['id']).toBe('tck_000002');
    await stop();
    await start();
    expect(await ledger()).toHaveLength(2);
  });

  it('a line that is none of ours stops the start: a ledger with a hole is no ground truth', async () => {
    await stop();
    appendFileSync(ledgerFile(), '{"kind":"other","n":1}\n');
    expect(() => new Ledger(new Journal(ledgerFile()))).toThrow(DefectFault);
  });
});
