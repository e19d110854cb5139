import { GenerationId } from '@connector/kernel/ids';
import type { Service } from '@connector/kernel/roles';
import { ADAPTER } from '@connector/services/local/src/plan';
import { auditSystem, type Audit } from '../audit';
import { quiet } from '../quiet';
import { Random } from '../random';
import { contact, isAcknowledged } from '../source';
import { openSystem, SERVICE_NAMES, type SystemUnderTest } from '../system';
import { until, when } from '../until';

export const WEBHOOKS = 200;
/** Calls at the same time. */
export const SLOTS = 32;
/** Each service but the adapter so many times, the adapter more often, and all of them together at least forty times. */
export const KILLS_EACH = 3;
const KILLS_OTHER = 30;
const KILLS_ADAPTER = 12;
export const KILLS = 40;
export const WHILE_SENDING = 10;
/** What is delivered for each death: all of it together leaves some for the end, so the last death finds calls as the first one did. */
const FOR_FULL = SLOTS + 8;
const FOR_ADAPTER = 8;
const FOR_OTHER = 2;
export const FOR_DEATHS = FOR_FULL + (KILLS_ADAPTER - 1) * FOR_ADAPTER + KILLS_OTHER * FOR_OTHER;
const DELIVERY_MS_MAX = 120_000;
const STEP_MS_MAX = 60_000;
/** Longer than a kill takes, shorter than the deadline of the call. */
const SLOW_MS = 2_500;
/** The calls of a full adapter begin one after the other, and the first must still wait when the last begins. */
const SLOW_FULL_MS = 4_000;
const SLOW = 4;

export interface KillRun {
  readonly audit: Audit;
  /** Webhooks that were accepted. */
  readonly acknowledged: number;
  readonly kills: number;
  /** Of the service that was killed least. */
  readonly killsOfOne: number;
  /** Adapter generations that died with a call under way. */
  readonly diedSending: number;
  readonly inFlightMost: number;
  readonly seconds: number;
}

/** A system of its own; 200 webhooks while every service dies again and again; rest; and what the three ledgers say. */
export async function runKills(seed: number): Promise<KillRun> {
  const system = await openSystem({ settings: { POLL_MS: '250', CALL_SLOTS: String(SLOTS) } });
  try {
    return await new Killer(system, new Random(seed)).run();
  } finally {
    await system.close();
  }
}

/** Why the run proves nothing; undefined where it met what it was to meet. */
export function voidOf({ kills, killsOfOne, diedSending, inFlightMost }: KillRun): string | undefined {
  const met = kills >= KILLS && killsOfOne >= KILLS_EACH && diedSending >= WHILE_SENDING && inFlightMost >= SLOTS;
  return met ? undefined : `void: ${kills} kills, ${killsOfOne} of one service, ${diedSending} while sending, ${inFlightMost} in flight`;
}

/** What must not be, one sentence each: doubled, lost, or unknown and not listed (decisions 13.14). */
export function wrongOf({ audit, acknowledged }: KillRun): readonly string[] {
  const { receipts, effects } = audit.counts;
  const unlisted = audit.uncertain.filter((effect) => !audit.waiting.has(effect));
  const unsettled = [...audit.waiting.keys()].filter((row) => !audit.uncertain.some((effect) => effect === row));
  const counts = [receipts, effects, acknowledged].every((count) => count === WEBHOOKS);
  return [
    ...audit.findings,
    ...audit.openPermits.map((permit) => `${permit} is open`),
    ...unlisted.map((effect) => `${effect} is unknown and not listed`),
    ...unsettled.map((row) => `${row} has not ended, and is no unknown`),
    ...(counts ? [] : [`${receipts} receipts, ${effects} effects and ${acknowledged} accepted of ${WEBHOOKS} webhooks`]),
  ];
}

export function summaryOf({ audit, kills, diedSending, inFlightMost, seconds }: KillRun): string {
  const met = `${kills} kills, ${diedSending} while sending, ${inFlightMost} in flight at most`;
  return `${Math.round(seconds)} s, ${met}, ${JSON.stringify(audit.counts)}, ${audit.uncertain.length} uncertain`;
}

interface Life {
  readonly sending: number;
  readonly settled: number;
}

class Killer {
  readonly #system: SystemUnderTest;
  readonly #random: Random;
  readonly #killed: { readonly name: Service; readonly generation: string }[] = [];
  readonly #deliveries: Promise<string>[] = [];
  #inFlightMost = 0;

  constructor(system: SystemUnderTest, random: Random) {
    this.#system = system;
    this.#random = random;
  }

  async run(): Promise<KillRun> {
    const began = performance.now();
    const system = this.#system;
    // The adapter first meets as many calls as it may have; then everybody dies.
    await this.#killAdapterFull();
    await Promise.all([this.#killOthers(), this.#killAdapterAgain()]);
    this.#deliver(WEBHOOKS);
    await Promise.all(this.#deliveries);
    await system.ready();
    await quiet(system, STEP_MS_MAX);
    return {
      audit: await auditSystem(system),
      acknowledged: system.source.sent.filter(isAcknowledged).length,
      kills: this.#killed.length,
      killsOfOne: Math.min(...SERVICE_NAMES.map((name) => this.#killed.filter((one) => one.name === name).length)),
      diedSending: await this.#diedSending(),
      inFlightMost: this.#inFlightMost,
      seconds: (performance.now() - began) / 1_000,
    };
  }

  #deliver(count: number): void {
    for (let more = 0; more < count && this.#deliveries.length < WEBHOOKS; more += 1) {
      const at = this.#deliveries.length;
      this.#deliveries.push(this.#system.source.deliver('hook', contact(`kill-${at}`), `msg_${at}`, DELIVERY_MS_MAX));
    }
  }

  /** Each service so many times, in an order that the seed makes. */
  async #killOthers(): Promise<void> {
    const random = this.#random;
    const others = SERVICE_NAMES.filter((name) => name !== ADAPTER);
    const each = others.flatMap((name) => Array.from({ length: KILLS_EACH }, () => name));
    const more = Array.from({ length: KILLS_OTHER - each.length }, () => others[random.below(others.length)] ?? 'ingress');
    for (const name of random.shuffled([...each, ...more])) {
      await until(`${name} is ready`, STEP_MS_MAX, () => when(this.#viewOf(name)?.state === 'ready'));
      this.#kill(name);
      this.#deliver(FOR_OTHER);
    }
  }

  /** The first time it has as many calls as it may have. */
  #killAdapterFull(): Promise<void> {
    this.#deliver(FOR_FULL);
    return this.#killAdapterWhen(`${SLOTS} calls under way`, [FOR_FULL, SLOW_FULL_MS], ({ sending }) => sending >= SLOTS);
  }

  /** From then on it has settled some, and waits for a few. */
  async #killAdapterAgain(): Promise<void> {
    for (let times = 1; times < KILLS_ADAPTER; times += 1) {
      this.#deliver(FOR_ADAPTER);
      await this.#killAdapterWhen(
        'a call under way',
        [SLOW, SLOW_MS],
        ({ sending, settled }) => sending > 0 && sending <= SLOW && settled > 0,
      );
    }
  }

  /** The adapter while it waits for answers, of which so many are slow by so much. */
  async #killAdapterWhen(what: string, [slow, ms]: readonly [number, number], holds: (life: Life) => boolean): Promise<void> {
    await until('faults are planned', STEP_MS_MAX, () => this.#system.provider.plan('slow', slow, ms).then(() => true));
    await until(what, STEP_MS_MAX, async () => when(holds(await this.#lifeOfAdapter())));
    this.#kill(ADAPTER);
  }

  /** What the adapter that lives has done; what a dead one left behind waits for its receipts and is none of it. */
  async #lifeOfAdapter(): Promise<Life> {
    const generation = this.#viewOf(ADAPTER)?.generation;
    if (typeof generation !== 'string' || this.#killed.some((one) => one.generation === generation)) return { sending: 0, settled: 0 };
    const [row] = await this.#system.sql(
      `SELECT COALESCE(SUM(p.state = 'sending'), 0) AS sending, COALESCE(SUM(p.state = 'returned'), 0) AS settled FROM con_dispatch_permit p
         JOIN con_egress_holder_generation g ON g.holder_id = p.holder_id AND g.fence = p.holder_fence WHERE g.generation_id = ?`,
      [GenerationId.bytes(GenerationId.parse(generation))],
    );
    const life = { sending: Number(row?.['sending']), settled: Number(row?.['settled']) };
    this.#inFlightMost = Math.max(this.#inFlightMost, life.sending);
    return life;
  }

  /** SIGKILL, from outside, of a process that runs. */
  #kill(name: Service): void {
    const generation = this.#viewOf(name)?.generation;
    if (this.#system.local.supervisor.kill(name, 'SIGKILL') && typeof generation === 'string') this.#killed.push({ name, generation });
  }

  #viewOf(name: Service) {
    return this.#system.local.supervisor.services.find((one) => one.name === name);
  }

  /** By what their permits became: nothing but isolation closes those. */
  async #diedSending(): Promise<number> {
    const rows = await this.#system.sql(
      `SELECT DISTINCT g.generation_id FROM con_dispatch_permit p JOIN con_egress_holder_generation g
         ON g.holder_id = p.holder_id AND g.fence = p.holder_fence WHERE p.state = 'abandoned' AND p.io_may_have_started = 1`,
    );
    return rows.length;
  }
}
