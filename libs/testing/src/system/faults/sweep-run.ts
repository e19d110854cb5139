import { setTimeout as pause } from 'node:timers/promises';
import { auditSystem } from '../audit';
import { quiet } from '../quiet';
import { Random } from '../random';
import { contacts } from '../source';
import { openSystem, type SystemUnderTest } from '../system';
import { until, when } from '../until';

export const EXECUTIONS = 1_000;
export const SWEEPS = 20;
const BODIES = 10;
const STEP_MS_MAX = 60_000;
const REST_MS_MAX = 180_000;
/** A sweep begins with its first claim, and is over when as many are in hand as may be. */
const SWEEP_MS = 300;
const SAMPLE_EVERY_MS = 15;
const SWEEPER = 'execution-claimant';

/** Where every execution was at one moment, by one statement. A row that is none of the three is missing in the sum. */
export interface Sample {
  readonly ready: number;
  readonly leased: number;
  readonly completed: number;
}
const SAMPLE = `SELECT SUM(e.state = 'completed') AS completed, SUM(e.state = 'ready' AND a.leased_until > NOW(6)) AS leased,
    SUM(e.state = 'ready' AND (a.leased_until IS NULL OR a.leased_until <= NOW(6))) AS ready, SUM(e.attempt_count) AS attempts
  FROM con_execution e LEFT JOIN con_execution_attempt a ON a.execution_id = e.execution_id AND a.ordinal = e.attempt_count`;

export interface SweepRun {
  readonly samples: readonly Sample[];
  /** What every kill left behind. */
  readonly kills: readonly Sample[];
  readonly findings: readonly string[];
  /** Executions that are there at the end and were there at the beginning. */
  readonly same: number;
  readonly seconds: number;
}

/** A thousand executions, and the process that claims them killed in the middle of so many of its sweeps. */
export async function runSweepKills(seed: number): Promise<SweepRun> {
  const system = await openSystem({ settings: { POLL_MS: '250' } });
  try {
    return await new Sweeps(system, new Random(seed)).run();
  } finally {
    await system.close();
  }
}

const sumOf = ({ ready, leased, completed }: Sample): number => ready + leased + completed;

/** Why the run proves nothing: a kill that met no lease was in no sweep. */
export function voidOf({ kills, samples }: SweepRun): string | undefined {
  const met = kills.filter(({ leased, ready }) => leased > 0 && ready > 0).length;
  return met >= SWEEPS && samples.length > kills.length
    ? undefined
    : `void: ${met} of ${kills.length} kills in a sweep, ${samples.length} samples`;
}

export function wrongOf({ samples, findings, same }: SweepRun): readonly string[] {
  const short = samples.filter((sample) => sumOf(sample) !== EXECUTIONS);
  const completed = samples.at(-1)?.completed ?? 0;
  return [
    ...short.map((sample) => `${JSON.stringify(sample)} is not ${EXECUTIONS}`),
    ...(completed === EXECUTIONS && same === EXECUTIONS ? [] : [`${completed} completed, ${same} of those that there were`]),
    ...findings,
  ];
}

export function summaryOf({ samples, kills, seconds }: SweepRun): string {
  const left = kills.map(({ leased, completed }) => `${leased}/${completed}`).join(' ');
  return `${Math.round(seconds)} s, ${samples.length} samples, ${kills.length} kills with leased/completed ${left}`;
}

class Sweeps {
  readonly #samples: Sample[] = [];
  readonly #kills: Sample[] = [];
  #over = false;

  constructor(
    readonly system: SystemUnderTest,
    readonly random: Random,
  ) {}

  async run(): Promise<SweepRun> {
    const began = performance.now();
    const { system } = this;
    // Frozen it claims nothing, so all of them are ready before its first sweep.
    system.local.supervisor.kill(SWEEPER, 'SIGSTOP');
    const bodies = Array.from({ length: BODIES }, (_, at) =>
      system.source.deliver('hook', contacts(`sweep-${at}`, EXECUTIONS / BODIES), `msg_${at}`),
    );
    await Promise.all(bodies);
    await until('all are ready', STEP_MS_MAX, async () => when((await this.#look()).ready === EXECUTIONS));
    const before = await this.#ids();
    const sampler = this.#sample();
    try {
      await this.#killSweeps();
    } finally {
      this.#over = true;
    }
    await sampler;
    await system.ready();
    await quiet(system, REST_MS_MAX);
    this.#samples.push(await this.#look());
    const after = await this.#ids();
    const { findings } = await auditSystem(system);
    const same = [...after].filter((id) => before.has(id)).length;
    return { samples: this.#samples, kills: this.#kills, findings, same, seconds: (performance.now() - began) / 1_000 };
  }

  async #killSweeps(): Promise<void> {
    await this.system.kill(SWEEPER);
    for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
      const { attempts } = await this.#look();
      await until('a sweep begins', STEP_MS_MAX, async () => when((await this.#look()).attempts > attempts));
      await pause(this.random.below(SWEEP_MS));
      await this.system.kill(SWEEPER);
      const left = await this.#look();
      this.#kills.push(left);
      if (left.completed === EXECUTIONS) return;
    }
  }

  /** Beside everything, until the last kill. */
  async #sample(): Promise<void> {
    while (!this.#over) {
      this.#samples.push(await this.#look());
      await pause(SAMPLE_EVERY_MS);
    }
  }

  async #look(): Promise<Sample & { readonly attempts: number }> {
    const [row] = await this.system.sql(SAMPLE);
    const of = (name: string): number => Number(row?.[name] ?? 0);
    return { ready: of('ready'), leased: of('leased'), completed: of('completed'), attempts: of('attempts') };
  }

  async #ids(): Promise<ReadonlySet<string>> {
    const rows = await this.system.sql('SELECT HEX(execution_id) AS id FROM con_execution');
    return new Set(rows.map(({ id }) => String(id)));
  }
}
