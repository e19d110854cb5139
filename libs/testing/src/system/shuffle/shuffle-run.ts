import { setTimeout as pause } from 'node:timers/promises';
import { CHANNELS } from '@connector/services/local/src/demo/world';
import type { ProcessName } from '@connector/services/local/src/plan';
import { auditSystem } from '../audit';
import { busyWith, lastWordsOf, quiet } from '../quiet';
import { Random } from '../random';
import { isAcknowledged, type Sent, Source } from '../source';
import { type OpenSystem, openSystem, type SystemUnderTest } from '../system';
import { quickWorld } from '../world';
import { changesOf, type Change, type Delivery, type Order, orderedDeliveries, shuffledDeliveries, type Size } from './changes';
import { applicationContent, seenBy } from './content';
import { arrivedLate, wrongOrder } from './judge';
import type { Half, ShuffleRun } from './report';

export const INGRESSES: readonly ProcessName[] = ['ingress', 'ingress-2', 'ingress-3'];
/** Deliveries under way at the same time. */
const IN_FLIGHT = 12;
const DELIVERY_MS_MAX = 120_000;
/** What the first half of them asks for may take on a slow machine. */
const FIRST_HALF_MS_MAX = 600_000;
/** Longer than a lease: what comes to a halt here, stays. */
const STANDSTILL_MS_MAX = 90_000;
const LOOK_EVERY_MS = 250;
const SAY_EVERY_MS = 5_000;
/** Three ingresses; and leases that do not end under load, which would be the same work once more. */
export const SHUFFLE_SYSTEM: OpenSystem = { world: quickWorld({ lease_ms: 60_000 }), ingresses: INGRESSES.length };

export type Say = (line: string) => void;

/** The same changes twice, each time on a system of its own: in random order over all ingresses, then in the order of their source. */
export async function runShuffle(size: Size, seed: number, say: Say): Promise<ShuffleRun> {
  const changes = changesOf(size);
  const shuffled = await onOwnSystem((system) => shuffledOn(system, changes, new Random(seed), say));
  const ordered = await onOwnSystem((system) => orderedOn(system, changes, say));
  return { ...size, shuffled, ordered };
}

async function onOwnSystem(run: (system: SystemUnderTest) => Promise<Half>): Promise<Half> {
  const system = await openSystem(SHUFFLE_SYSTEM);
  try {
    return await run(system);
  } finally {
    await system.close();
  }
}

export function shuffledOn(system: SystemUnderTest, changes: readonly Change[], random: Random, say: Say): Promise<Half> {
  const deliveries = shuffledDeliveries(changes, random);
  const rows = Array.from({ length: IN_FLIGHT }, (_, row) => deliveries.filter((_delivery, at) => at % IN_FLIGHT === row));
  // A redelivery may meet another ingress than the first try.
  return half(system, { changes, rows, ingresses: INGRESSES, choose: () => random.below(INGRESSES.length), say: told('shuffled', say) });
}

export function orderedOn(system: SystemUnderTest, changes: readonly Change[], say: Say): Promise<Half> {
  return half(system, { changes, rows: orderedDeliveries(changes), ingresses: ['ingress'], choose: () => 0, say: told('ordered', say) });
}

const told =
  (run: string, say: Say): Say =>
  (line) =>
    say(`${run}: ${line}`);

interface Run {
  readonly changes: readonly Change[];
  /** Sent beside each other; what stands in one row goes one after the other. */
  readonly rows: readonly (readonly Delivery[])[];
  readonly ingresses: readonly ProcessName[];
  /** The place of the ingress that a delivery is sent to. */
  readonly choose: () => number;
  readonly say: Say;
}

async function half(system: SystemUnderTest, run: Run): Promise<Half> {
  const began = performance.now();
  const { store, url } = system.local;
  const sources = run.ingresses.map((ingress) => new Source({ store, url: () => url(ingress) }, CHANNELS));
  await sendAll(sources, run, () => quiet(system, FIRST_HALF_MS_MAX));
  const sentSeconds = secondsSince(began);
  run.say(`${run.rows.flat().length} deliveries are accepted after ${sentSeconds.toFixed(1)} s`);
  await atRest(system, run.changes.length, run.say);
  const seconds = secondsSince(began);
  return { ...(await judged(system, sources, run.changes)), sentSeconds, seconds };
}

/**
 * Who gets what is chosen before anything is sent: how fast it is answered does not change a seed's run. Half of it is sent and done before the
 * other half: a machine that accepts all of it within one settle window would apply each latest record once, and show nothing of their order.
 */
async function sendAll(sources: readonly Source[], { rows, choose }: Run, rest: () => Promise<void>): Promise<void> {
  const planned = rows.map((row) => row.map((delivery) => ({ delivery, source: sources[choose()] })));
  const send = (part: (length: number) => readonly [number, number]): Promise<unknown> =>
    Promise.all(
      planned.map(async (row) => {
        for (const { source, delivery } of row.slice(...part(row.length)))
          await source?.deliver(delivery.channel, delivery.body, delivery.key, DELIVERY_MS_MAX);
      }),
    );
  await send((length) => [0, length >> 1]);
  await rest();
  await send((length) => [length >> 1, length]);
}

const OPEN = 'SELECT COUNT(*) AS n FROM con_execution WHERE open_lane IS NOT NULL';
const KNOWN = 'SELECT COUNT(*) AS n FROM con_event';

/** Until every change is known and none is open any more, then until all is quiet. Throws when nothing moves for too long, naming what is left. */
async function atRest(system: SystemUnderTest, changes: number, say: Say): Promise<void> {
  const began = performance.now();
  for (let last = { done: -1, at: began, said: began }; ; await pause(LOOK_EVERY_MS)) {
    const now = performance.now();
    const [known, open] = [await countOf(system, KNOWN), await countOf(system, OPEN)];
    const done = known - open;
    if (done === changes) break;
    const at = done === last.done ? last.at : now;
    if (now - at > STANDSTILL_MS_MAX)
      throw new Error(`${done} of ${changes} changes and no more: ${(await busyWith(system)).join(', ')}\n${lastWordsOf(system)}`);
    const due = now - last.said > SAY_EVERY_MS;
    if (due) say(`${done} of ${changes} changes are done`);
    last = { done, at, said: due ? now : last.said };
  }
  await quiet(system);
}

const countOf = async (system: SystemUnderTest, sql: string): Promise<number> => Number((await system.sql(sql))[0]?.['n']);

async function judged(
  system: SystemUnderTest,
  sources: readonly Source[],
  changes: readonly Change[],
): Promise<Omit<Half, 'seconds' | 'sentSeconds'>> {
  const sent = sources.flatMap((source) => source.sent);
  const audit = await auditSystem({ ...system, source: { sent } });
  const seen = await seenBy(system);
  const strictRecords = new Set(changes.filter(({ order }) => order === 'strict').map(({ record }) => record)).size;
  const { executed } = audit.counts;
  return {
    wrong: [
      ...audit.findings,
      ...audit.uncertain.map((effect) => `${effect} is unknown, and no call was disturbed`),
      ...[...audit.waiting].map(([row, reason]) => `${row} has not ended: ${reason}`),
      ...(sent.every(isAcknowledged) ? [] : ['a delivery was not accepted']),
      ...(executed === strictRecords ? [] : [`the provider was called ${executed} times for ${strictRecords} strict records`]),
      ...wrongOrder(changes, seen),
    ],
    content: await applicationContent(system),
    late: arrivedLate(seen.arrived),
    deliveries: sent.length,
    redelivered: sent.filter((one) => answeredWith(one, 200)).length,
    admitted: sources.map((source) => source.sent.filter((one) => answeredWith(one, 202)).length),
    again: (await countOf(system, 'SELECT COUNT(*) AS n FROM con_component')) - changes.length,
    applied: { strict: countIn(seen.applied, 'strict'), latest: countIn(seen.applied, 'latest') },
    superseded: seen.superseded.length,
    gaps: await countOf(system, 'SELECT COUNT(*) AS n FROM con_execution_dependency'),
    calls: executed,
  };
}

const countIn = (applied: readonly Change[], order: Order): number => applied.filter((one) => one.order === order).length;

const answeredWith = ({ answers }: Sent, status: number): boolean =>
  answers.some((answer) => answer.kind === 'answered' && answer.status === status);

const secondsSince = (began: number): number => (performance.now() - began) / 1_000;
