import { setTimeout as pause } from 'node:timers/promises';
import { resolveBroker } from '@connector/platform/broker/resolve';
import { InputFault } from '@connector/kernel/faults';
import { ReceiptId } from '@connector/kernel/ids';
import type { Broker } from '@connector/platform/broker/broker';
import type { Settings } from '@connector/services/local/src/environment';
import { quiet } from '../system/quiet';
import { Random } from '../system/random';
import { contact } from '../system/source';
import { openSystem, type SystemUnderTest } from '../system/system';
import { until, when } from '../system/until';
import { startAgain } from '../system/wake-run';
import { quickWorld } from '../system/world';
import type { BenchOptions } from './options';
import { latencyLines, type Line } from './line';

/** As in production. */
const POLL_MS = 1_000;
const HEARD_WITHIN_MS = 60_000;
const CLAIMED_WITHIN_MS = 15_000;
const SAMPLES_MIN = 10;

type WakeBench = Pick<BenchOptions, 'seconds' | 'seed' | 'brokerDir' | 'say'>;

/** How long a new execution waits for its claim in a system at rest: by a hint of each adapter, and with none. */
export async function benchWakes({ seconds, seed, brokerDir, say }: WakeBench): Promise<readonly Line[]> {
  const random = new Random(seed);
  const broker = await brokerAtHand(brokerDir);

  const ways: (readonly [name: string, settings: Settings])[] = [
    ['local', {}],
    [`polling (silent, ${POLL_MS} ms)`, { WAKE: 'silent' }],
  ];
  if (broker.kind === 'open') ways.push([`kafka ${broker.broker.version}`, { WAKE: 'kafka', ...broker.broker.settings }]);
  const system = await openSystem({ settings: { POLL_MS: String(POLL_MS) }, world: quickWorld({ lease_ms: 120_000 }) });
  try {
    const lines: Line[] = [];
    for (const [name, settings] of ways) {
      say(`wakes by ${name}`);
      // A claim that a restart cut off would wait for its lease.
      await quiet(system);
      await startAgain(system, settings);
      if (settings.WAKE === 'kafka') await hearing(system);
      lines.push(...latencyLines('d', `wake to claim, ${name}`, await delays(system, seconds, random, name)));
    }
    return broker.kind === 'open' ? lines : [...lines, { group: 'd', what: 'wake to claim, kafka', kind: 'not-run', why: broker.why }];
  } finally {
    await system.close();
    if (broker.kind === 'open') await broker.broker.stop();
  }
}

type AtHand = { readonly kind: 'open'; readonly broker: Broker } | { readonly kind: 'none'; readonly why: string };

/** What the resolver refuses is a line of the answer; anything else that goes wrong is a mistake and is thrown. */
async function brokerAtHand(dataDir: string): Promise<AtHand> {
  try {
    return { kind: 'open', broker: await resolveBroker({ dataDir, env: process.env }) };
  } catch (thrown) {
    if (thrown instanceof InputFault) return { kind: 'none', why: thrown.message.split('\n')[0] ?? thrown.message };
    throw thrown;
  }
}

async function hearing(system: SystemUnderTest): Promise<void> {
  const operator = await system.client('operator');
  await until('the claimant hears', HEARD_WITHIN_MS, async () => {
    const { body } = await operator.call('GET', '/v1/status');
    return when((body as { wakes: { seen: { state: string } } }).wakes.seen.state === 'hearing');
  });
}

/** By the database's clock, from the row of the execution to the claim in its first attempt: the rest of the admission's commit is in it. */
const DELAY = `SELECT TIMESTAMPDIFF(MICROSECOND, e.minted_at, a.claimed_at) / 1000 AS ms
  FROM con_receipt r JOIN con_component c ON c.receipt_id = r.receipt_id JOIN con_projection p ON p.event_id = c.event_id
  JOIN con_execution e ON e.projection_id = p.projection_id JOIN con_execution_attempt a ON a.execution_id = e.execution_id AND a.ordinal = 1
  WHERE r.receipt_id = ?`;

/** One after the other, each at a moment that has nothing to do with the poll before. */
async function delays(system: SystemUnderTest, seconds: number, random: Random, name: string): Promise<readonly number[]> {
  const found: number[] = [];
  const end = performance.now() + seconds * 1_000;
  while (found.length < SAMPLES_MIN || performance.now() < end) {
    await pause(random.below(POLL_MS));
    const key = `${name.split(' ')[0]}-${found.length}`;
    const receipt = ReceiptId.bytes(ReceiptId.parse(await system.source.deliver('hook', contact(key), key)));
    const ms = await until(`the claim of ${key}`, CLAIMED_WITHIN_MS, async () => (await system.sql(DELAY, [receipt]))[0]?.['ms']);
    found.push(Number(ms));
  }
  return found.slice(1);
}
