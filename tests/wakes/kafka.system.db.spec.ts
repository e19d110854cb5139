import type { Broker } from '@connector/platform/broker/broker';
import { openKafkaWake } from '@connector/platform/kafka/kafka-wake';
import { Random, seedOf } from '@connector/testing/system/random';
import { quiet } from '@connector/testing/system/quiet';
import { contentOf, differences, type Dump, withoutDeliveries } from '@connector/testing/system/same-rows';
import { contact } from '@connector/testing/system/source';
import { openSystem, type SystemUnderTest } from '@connector/testing/system/system';
import { until, when } from '@connector/testing/system/until';
import { deliverThirty, hintsReceived, mustBeClean, startAgain } from '@connector/testing/system/wake-run';
import { quickWorld } from '@connector/testing/system/world';
import { BROKER_WITHIN_MS, openTestBroker } from '@connector/testing/test-broker';

const WITHIN_MS = 60_000;
const OUTAGE_DELIVERIES = 300;
const PER_SECOND = 50;
const COMERS = 20;
const COMERS_AT_ONCE = 4;
const nobody = { counter: { wake: () => undefined, fault: () => undefined }, warn: () => undefined };

const seed = seedOf();
let broker: Broker;
let system: SystemUnderTest;

interface Wakes {
  readonly adapter: string;
  readonly state: string;
  readonly by_wake: { readonly count: number; readonly median_ms: number | null };
  readonly by_poll: { readonly count: number; readonly median_ms: number | null };
}
/** As `connector status` shows it. */
async function wakes(): Promise<Wakes> {
  const { body } = await (await system.client('operator')).call('GET', '/v1/status');
  return (body as { wakes: { seen: Wakes } }).wakes.seen;
}

/** One delivery after the other, each into a system at rest, until a claim was led to in this way: which way wins a single one is chance. */
async function untilLed(by: 'by_wake' | 'by_poll', name: string): Promise<void> {
  const before = (await wakes())[by].count;
  let at = 0;
  await until(`a claim ${by}`, WITHIN_MS, async () => {
    at += 1;
    await system.source.deliver('hook', contact(`${name}-${at}`), `${name}_${at}`);
    await quiet(system);
    return when((await wakes())[by].count > before);
  });
}

describe('wakes over a broker [needs kafka]', () => {
  let silent: Dump;
  beforeAll(async () => {
    process.stderr.write(`wakes: seed ${seed}\n`);
    broker = await openTestBroker();
    // A lease that ends in the middle would be another attempt, and that is another row.
    system = await openSystem({
      settings: { POLL_MS: '1000', WAKE: 'kafka', ...broker.settings },
      world: quickWorld({ lease_ms: 120_000 }),
    });
  }, BROKER_WITHIN_MS);
  afterAll(async () => {
    await system?.close();
    await broker?.stop();
  }, WITHIN_MS);

  it('silent: the rows of these deliveries without one hint', async () => {
    await startAgain(system, { WAKE: 'silent' });
    silent = await deliverThirty(system);
    expect(await hintsReceived(system)).toBe(0);
  }, 120_000);

  it('kafka: hints go over the broker, lead to claims, and the rows are the same (decisions 2)', async () => {
    await withoutDeliveries(system);
    await startAgain(system, {});
    await until('the claimant hears', WITHIN_MS, async () => when((await wakes()).state === 'hearing'));
    expect(differences(silent, await deliverThirty(system))).toEqual([]);
    expect(await hintsReceived(system)).toBeGreaterThan(0);
    await untilLed('by_wake', 'one');
    const { adapter, by_wake, by_poll } = await wakes();
    expect(adapter).toBe('kafka');
    process.stderr.write(`due to claim: ${JSON.stringify({ by_wake, by_poll })}\n`);
  }, 120_000);

  it('stale and lying: hints of what is finished, of accounts and stages that are none, a thousand times, change no row (reliability I01, I03, I04)', async () => {
    const before = await contentOf(system);
    const heard = await hintsReceived(system);
    const liar = openKafkaWake(broker.place, { service: 'liar', ...nobody });
    const accounts = ['larkspur/acme', 'tern/acme', 'nobody/none', '../../etc', 'x'.repeat(160)];
    const stages = ['materialize', 'execution', 'result', 'effect', 'finalize', 'halt', 'abandon', 'no-such-stage'];
    await until('lies are heard', WITHIN_MS, async () => {
      for (let times = 0; times < 1_000; times += 1)
        for (const stage of stages) for (const account of accounts) liar.emit({ stage, account });
      return when((await hintsReceived(system)) > heard + stages.length * accounts.length);
    });
    await liar.close();
    await quiet(system);
    expect(differences(before, await contentOf(system))).toEqual([]);
  }, 120_000);

  it('comers and goers: twenty that join and leave the groups under load take hints away and nothing else (PUB-WAK-03)', async () => {
    await withoutDeliveries(system);
    const random = new Random(seed);
    let left = COMERS;
    const comeAndGo = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const wake = openKafkaWake(broker.place, {
          service: random.below(2) === 0 ? 'execution-claimant' : 'outbound-dispatcher',
          ...nobody,
        });
        wake.subscribe(['execution', 'effect', 'finalize', 'result'], () => undefined);
        await until('it joined', WITHIN_MS, () => when(wake.state === 'hearing'));
        await wake.close();
      }
    };
    const comers = Promise.all(Array.from({ length: COMERS_AT_ONCE }, comeAndGo));
    const rows = await deliverThirty(system);
    await comers;
    expect(differences(silent, rows)).toEqual([]);
    expect((await wakes()).state).not.toBe('crashed');
  }, 120_000);

  it('without its broker: killed in the middle of 50 deliveries a second, all are completed while it is away (PUB-WAK-01)', async () => {
    await withoutDeliveries(system);
    const deliveries: Promise<string>[] = [];
    for (let at = 0; at < OUTAGE_DELIVERIES; at += 1) {
      if (at === OUTAGE_DELIVERIES / 3) process.kill(broker.pid ?? 0, 'SIGKILL');
      deliveries.push(system.source.deliver('hook', contact(`out-${at}`), `out_${at}`));
      await new Promise((resolve) => setTimeout(resolve, 1_000 / PER_SECOND));
    }
    await Promise.all(deliveries);
    // Quiet means finished, and every service ready: a broker that is away turns nobody away.
    await quiet(system, 120_000);
    await mustBeClean(system);
    const [finalized] = await system.sql("SELECT COUNT(*) AS n FROM con_remote_effect WHERE state = 'finalized'");
    expect(Number(finalized?.['n'])).toBe(OUTAGE_DELIVERIES);
    await untilLed('by_poll', 'alone');
    await quiet(system);

    const rows = await contentOf(system);
    const address = broker.place.brokers;
    broker = await openTestBroker();
    expect(broker.place.brokers).toEqual(address);
    await until('the claimant hears again', WITHIN_MS, async () => when((await wakes()).state === 'hearing'));
    await quiet(system);
    expect(differences(rows, await contentOf(system))).toEqual([]);
    await untilLed('by_wake', 'after');
  }, 300_000);
});
