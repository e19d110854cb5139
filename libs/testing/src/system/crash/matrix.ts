import { beginDemo, type World } from '@connector/services/local/src/demo/begin';
import { Random } from '../random';
import { openSystem, type SystemUnderTest } from '../system';
import { runGenesis } from './genesis';
import type { Fate, Met } from './lane';
import { laneOf, planRounds } from './plan';
import { allPoints, type CrashPoint, DOORS, isGenesis, TABLED, whyNotLed, WITHOUT_WORLD } from './points';
import { type RoundResult, runRound, TRIES } from './round';
import { Script } from './script';
import { crashWorld } from './world';

export interface Matrix {
  /** Generated from the doors, and counted in their tables without generating. */
  readonly generated: number;
  readonly tabled: number;
  readonly asked: number;
  readonly reached: readonly string[];
  /** Points that no process died at, each with what came of it instead: each is a failure of the matrix. */
  readonly missed: readonly string[];
  /** Points that are not asked for, since no running system is led to them; each with the reason. */
  readonly notLed: readonly string[];
  readonly findings: readonly string[];
  /** Organizations in which somebody may have died on the way, compared with the undisturbed one (decisions 13.14); other rows are a finding. */
  readonly compared: number;
  readonly seconds: number;
}

export interface MatrixRun {
  readonly seed: number;
  readonly choose: (points: readonly CrashPoint[], random: Random) => readonly CrashPoint[];
  readonly say: (line: string) => void;
  /** Ends the run where it is; everything that was started is taken down all the same. */
  readonly signal?: AbortSignal;
}

/** Kills the real process at each chosen point and audits what is left when everything has come to rest. */
export async function runMatrix({ seed, choose, say, signal }: MatrixRun): Promise<Matrix> {
  const began = performance.now();
  const random = new Random(seed);
  const all = allPoints(random);
  const drawn = choose(all, random);
  const chosen = drawn.filter((point) => whyNotLed(point) === undefined);
  const doors = new Set(chosen.map(({ door }) => door)).size;
  say(`crash matrix: seed ${seed}, ${all.length} points generated, ${TABLED} in the tables, ${chosen.length} to run`);
  say(`${doors} of ${DOORS.length} doors; the others by another seed, or by npm run crash`);
  say(`not among them, since no system has the legacy world that they ask: ${WITHOUT_WORLD.join(', ')}`);
  const world = crashWorld();
  const system = await openSystem({ world, begun: false, proxied: true });
  try {
    const results = await Promise.race([runAll(system, world, chosen, all, say), aborted(signal)]);
    return {
      ...reportOf(chosen, results),
      generated: all.length,
      notLed: drawn.flatMap(notLed),
      seconds: (performance.now() - began) / 1_000,
    };
  } finally {
    await system.close();
  }
}

/** Also where the end was asked for while the system was opened. */
export function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(new Error('ended before it was over'));
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}

async function runAll(
  system: SystemUnderTest,
  world: World,
  chosen: readonly CrashPoint[],
  all: readonly CrashPoint[],
  say: MatrixRun['say'],
): Promise<readonly RoundResult[]> {
  const lanes = chosen.filter(isGenesis).map((point) => laneOf(point, all));
  const results = [await runGenesis(system, world, lanes)];
  await beginDemo(system.local, world);
  await system.ready();
  const script = new Script(system, world);
  await script.apps.undisturbed();
  const rounds = planRounds(
    chosen.filter((point) => !isGenesis(point)),
    all,
  );
  for (const [at, round] of rounds.entries()) {
    const began = performance.now();
    const result = await runRound(system, script, round);
    results.push(result);
    say(
      `round ${at + 1} of ${rounds.length}: ${result.met.map(({ point, fate }) => `${point.name} ${fate.kind}`).join(', ')}; ${Math.round(performance.now() - began)} ms`,
    );
    for (const finding of result.findings) say(`  FOUND ${finding}`);
  }
  return results;
}

function notLed(point: CrashPoint): readonly string[] {
  const why = whyNotLed(point);
  return why === undefined ? [] : [`${point.name}: ${why}`];
}

export function reportOf(
  chosen: readonly CrashPoint[],
  results: readonly RoundResult[],
): Pick<Matrix, 'tabled' | 'asked' | 'reached' | 'missed' | 'findings' | 'compared'> {
  const met = results.flatMap((result): readonly Met[] => result.met);
  const reached = new Set(met.filter(({ fate }) => fate.kind === 'reached').map(({ point }) => point.name));
  const left = chosen.filter(({ name }) => !reached.has(name));
  return {
    tabled: TABLED,
    asked: chosen.length,
    reached: chosen.map(({ name }) => name).filter((name) => reached.has(name)),
    missed: left.map(({ name }) => `${name}: ${whatCame(met.find(({ point }) => point.name === name)?.fate)}`),
    findings: results.flatMap(({ findings }) => findings),
    compared: results.reduce((sum, { compared }) => sum + compared, 0),
  };
}

function whatCame(fate: Fate | undefined): string {
  if (fate?.kind === 'wrong-end') return `its process ended otherwise, by ${fate.end.signal ?? `exit ${fate.end.code}`}`;
  return fate === undefined ? 'no process was armed with it' : `what leads there was done ${TRIES} times, and nobody came there`;
}
