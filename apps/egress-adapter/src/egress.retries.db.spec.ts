import { EffectId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { EgressBench } from '@connector/testing/egress-bench';
import { DEMO_POLICIES, demoEpoch } from '@connector/testing/fixtures/demo-epoch';
import { why } from '@connector/testing/fixtures/explain';
import { pushedTicket } from '@connector/testing/fixtures/pushed-ticket';

let schema: TestSchema;
let bench: EgressBench;

beforeAll(async () => {
  schema = await mainSchema();
  bench = await EgressBench.open(schema, 'a-credential-of-some-length');
});
afterEach(() => bench.rest());
afterAll(async () => {
  await bench.close();
  await schema.close();
});

/** One ticket on its way, under so many attempts and a backoff of a millisecond. */
async function oneTicket(attempts_max: number): Promise<void> {
  await schema.reset();
  const epoch = await demoEpoch(schema, { ...DEMO_POLICIES, attempts_max, backoff: { first_ms: 1, factor: 1, cap_ms: 1 } });
  await bench.dispatcher();
  await bench.adapter();
  await pushedTicket(schema, epoch, 'ref-1');
}
async function effect(): Promise<{ readonly id: EffectId; readonly state: string }> {
  const [row] = await schema.sql('SELECT effect_id, state FROM con_remote_effect');
  return { id: EffectId.of((row?.['effect_id'] as Buffer | undefined) ?? Buffer.alloc(16)), state: String(row?.['state']) };
}
const becomes = (state: string): Promise<void> => bench.until(async () => (await effect()).state === state, state);
const calls = async () => (await bench.ledger()).map(({ status, executed }) => [status, executed]);

describe('a call that the provider did not process', () => {
  it('finalized: con:REFF-06 after a 429 it waits as long as it was asked to, then the next attempt makes the one ticket', async () => {
    await bench.plan('429', { ms: 1_000 });
    await oneTicket(3);
    await becomes('prepared');
    await bench.until(async () => (await calls()).length === 1, 'a first call');
    await becomes('finalized');
    expect(await calls()).toEqual([
      [429, false],
      [201, true],
    ]);
    const evidence = await schema.sql('SELECT outcome, detail, retry_ms FROM con_effect_evidence ORDER BY attempt_ordinal');
    expect(evidence.map((row) => [String(row['outcome']), String(row['detail'])])).toEqual([
      ['no_effect', 'status 429: refused for now, Retry-After 1 s'],
      ['remote_confirmed', 'status 201: confirmed'],
    ]);
    const [[first], [waited]] = [evidence, await schema.sql(WAITED)];
    expect([1_000, 1_001]).toContain(first?.['retry_ms']);
    expect(Number(waited?.['ms'])).toBeGreaterThanOrEqual(Number(first?.['retry_ms']));
  });

  it('no_effect: con:REFF-05 con:CRASH-22 one that is refused for ever is tried attempts_max times, and explain says so', async () => {
    await bench.plan('429', { times: 10, ms: 1 });
    await oneTicket(3);
    await becomes('no_effect');
    expect(await calls()).toEqual([
      [429, false],
      [429, false],
      [429, false],
    ]);
    expect((await why(schema, (await effect()).id)).reason?.code).toBe('EFFECT_ATTEMPTS_EXHAUSTED');
  });
});

/** Between the end of the first attempt and the grant of the second. */
const WAITED = `SELECT TIMESTAMPDIFF(MICROSECOND, v.recorded_at, p.granted_at) / 1e3 AS ms
  FROM con_effect_evidence v JOIN con_dispatch_permit p ON p.effect_id = v.effect_id AND p.attempt_ordinal = v.attempt_ordinal + 1`;
