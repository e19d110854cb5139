import { setTimeout as pause } from 'node:timers/promises';
import { quiet } from '../system/quiet';
import { contact, hint } from '../system/source';
import { openSystem, type SystemUnderTest } from '../system/system';
import { quickWorld } from '../system/world';
import { costsOf, type ServiceCost } from './cost';
import { figureLine, latencyLines, type Line } from './line';
import { rounds, timed } from './rounds';
import { Sender, sign, type Signed } from './sender';
import { spreadOf } from './statistics';

const IN_FLIGHT = 16;
const BURST = 200;
/** Of what a burst got through: enough to be at work, not so much that deliveries queue. */
const PACE = 0.5;
const ADMISSIONS = 500;
const REST_MS_MAX = 300_000;

/** A whole system: how many calls it settles and how soon, what its services cost, and how many deliveries its ingress admits meanwhile. */
export async function benchSystem(seconds: number, say: (line: string) => void): Promise<readonly Line[]> {
  const system = await openSystem({ settings: { POLL_MS: '1000' }, world: quickWorld({ lease_ms: 120_000 }) });
  const sender = new Sender(IN_FLIGHT);
  try {
    say('webhook to settled call, bursts');
    const before = costsOf(system);
    const bursts = await rounds(seconds, (_first, at) => burst(system, sender, `burst${at}`));
    const used = costLines(before, costsOf(system), bursts.length + 1);
    const throughput = spreadOf(bursts);
    say('webhook to settled call, paced');
    const paced = await pacedRun(system, sender, throughput.median * PACE, seconds);
    say('HTTP admissions');
    return [
      figureLine('e', 'webhook to settled call, burst', throughput, 'calls/s', `${BURST} at a time, ${IN_FLIGHT} in flight, one account`),
      ...latencyLines(
        'e',
        `webhook to settled call at ${(throughput.median * PACE).toFixed(1)} a second`,
        paced,
        'admitted to permit closed',
      ),
      ...used,
      ...(await admissions(system, sender, seconds)),
    ];
  } finally {
    sender.close();
    await system.close();
  }
}

const signedContacts = (system: SystemUnderTest, name: string, count: number): Promise<readonly Signed[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => sign(system, 'hook', `${name}-${at}`, contact(`${name}-${at}`))));

/** From the receipt to the end of the permit of the call that came of it, by the database's clock. */
const SETTLED = `FROM con_receipt r JOIN con_component c ON c.receipt_id = r.receipt_id JOIN con_projection p ON p.event_id = c.event_id
  JOIN con_execution e ON e.projection_id = p.projection_id JOIN run_outbound_command o ON o.execution_id = e.execution_id
  JOIN con_remote_effect f ON f.outbound_command_id = o.outbound_command_id JOIN con_dispatch_permit d ON d.effect_id = f.effect_id
  WHERE r.transport_key LIKE ? AND d.closed_at IS NOT NULL`;

/** Settled calls a second, from the first receipt to the last closed permit. Throws where one delivery did not become one call. */
async function burst(system: SystemUnderTest, sender: Sender, name: string): Promise<number> {
  await sender.all(await signedContacts(system, name, BURST));
  await quiet(system, REST_MS_MAX);
  const sql = `SELECT COUNT(*) AS calls, TIMESTAMPDIFF(MICROSECOND, MIN(r.admitted_at), MAX(d.closed_at)) AS us ${SETTLED}`;
  const [row] = await system.sql(sql, [`${name}-%`]);
  if (Number(row?.['calls']) !== BURST) throw new Error(`${String(row?.['calls'])} calls of ${BURST} deliveries`);
  return (BURST * 1_000_000) / Number(row?.['us']);
}

/** Milliseconds of each, sent at a steady pace. */
async function pacedRun(system: SystemUnderTest, sender: Sender, perSecond: number, seconds: number): Promise<readonly number[]> {
  const deliveries = await signedContacts(system, 'paced', Math.max(20, Math.round(perSecond * seconds)));
  const began = performance.now();
  const sent: Promise<number>[] = [];
  for (const [at, each] of deliveries.entries()) {
    await pause(Math.max(0, began + (at * 1_000) / perSecond - performance.now()));
    sent.push(sender.send(each));
  }
  await Promise.all(sent);
  await quiet(system, REST_MS_MAX);
  const rows = await system.sql(`SELECT TIMESTAMPDIFF(MICROSECOND, r.admitted_at, d.closed_at) / 1000 AS ms ${SETTLED}`, ['paced-%']);
  if (rows.length !== deliveries.length) throw new Error(`${rows.length} calls of ${deliveries.length} deliveries`);
  return rows.map(({ ms }) => Number(ms));
}

async function admissions(system: SystemUnderTest, sender: Sender, seconds: number): Promise<readonly Line[]> {
  const answered: number[] = [];
  const perSecond = await rounds(seconds, async (_first, at) => {
    const numbers = Array.from({ length: ADMISSIONS }, (_, each) => at * ADMISSIONS + each + 1);
    const deliveries = await Promise.all(numbers.map((n) => sign(system, 'hints', `hint-${n}`, hint(n, 1))));
    const ms = await timed(async () => {
      const took = await sender.all(deliveries);
      if (at > 0) answered.push(...took);
    });
    await quiet(system, REST_MS_MAX);
    return (ADMISSIONS * 1_000) / ms;
  });
  const note = `signed, keep-alive, ${IN_FLIGHT} in flight, ${ADMISSIONS} a round; everything behind the ingress works meanwhile`;
  return [figureLine('e', 'HTTP admissions', spreadOf(perSecond), 'a second', note), ...latencyLines('e', 'HTTP answer', answered)];
}

function costLines(before: readonly ServiceCost[] | undefined, after: readonly ServiceCost[] | undefined, bursts: number): readonly Line[] {
  const what = 'CPU and memory per service';
  if (before === undefined || after === undefined) return [{ group: 'e', what, kind: 'not-run', why: 'this system has no /proc' }];
  return after.flatMap(({ name, cpuSeconds, pssMiB }) => {
    const cpu = ((cpuSeconds - (before.find((one) => one.name === name)?.cpuSeconds ?? 0)) * 1_000) / (bursts * BURST);
    return [figureLine('e', `  ${name}`, spreadOf([cpu]), 'ms CPU a call'), figureLine('e', `  ${name}`, spreadOf([pssMiB]), 'MiB PSS')];
  });
}
