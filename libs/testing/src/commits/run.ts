import { retrying } from '@connector/platform/db/retrying';
import type { Random } from '../system/random';
import { Bench } from './bench';
import { CASES } from './cases/all-cases';
import type { DoorCase } from './cases/door-case';
import type { Cut } from './commit-proxy';
import { judge, nameOf, runCase, undisturbed, type Rule } from './trial';

export const CUT_KINDS = ['before', 'late', 'withheld'] as const;
export type CutKind = (typeof CUT_KINDS)[number];
/** Milliseconds by which a late COMMIT comes after the client saw the cut. */
const LATE_MS = { least: 5, most: 25 };
/** One of so many trials is cut a second time, when it is run again. */
const TWICE = 4;
const FINDINGS_SAID = 3;

export interface CommitsRun {
  readonly random: Random;
  /** Trials of each door at each kind of cut, at least; a door of several ways has them spread over these. */
  readonly times: number;
  readonly cases?: readonly DoorCase[];
  readonly rule?: Rule;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
}

export interface Commits {
  /** Trials by the kind of their first cut. */
  readonly trials: Readonly<Record<CutKind, number>>;
  /** Trials of each door. */
  readonly doors: ReadonlyMap<string, number>;
  /** COMMITs that were cut, the second ones included. */
  readonly cuts: number;
  /** Of the trials whose COMMIT came late, those whose next try had begun by then. */
  readonly overlapped: number;
  readonly findings: readonly string[];
  readonly seconds: number;
}

/** What production does. */
const PRODUCTION: Rule = () => retrying;

/** Every case with every kind of cut, so many times each, on databases of its own. */
export async function runCommits({ random, times, cases = CASES, rule = PRODUCTION, say, signal }: CommitsRun): Promise<Commits> {
  const began = performance.now();
  const bench = await Bench.open();
  const tally = new Tally();
  try {
    for (const [at, one] of cases.entries()) {
      const ways = cases.filter(({ door }) => door === one.door).length;
      const before = tally.total;
      await runAll(bench, one, { rule, random, tally, times: Math.ceil(times / ways), signal });
      say(`${at + 1} of ${cases.length}: ${nameOf(one)}, ${tally.total - before} trials; ${tally.findings.length} findings`);
    }
    return { ...tally.told(), cuts: bench.proxy.cuts, seconds: (performance.now() - began) / 1_000 };
  } finally {
    await bench.close();
  }
}

interface Trials {
  readonly rule: Rule;
  readonly random: Random;
  readonly tally: Tally;
  readonly times: number;
  readonly signal: AbortSignal | undefined;
}

async function runAll(bench: Bench, one: DoorCase, { rule, random, tally, times, signal }: Trials): Promise<void> {
  const wanted = await undisturbed(bench, one);
  for (let time = 0; time < times; time += 1) {
    for (const kind of CUT_KINDS) {
      signal?.throwIfAborted();
      const cuts = [cutOf(kind, random), ...(random.below(TWICE) === 0 ? [cutOf(anyKind(random), random)] : [])];
      const ended = await runCase(bench, one, cuts, rule);
      const wrong = judge(wanted, ended);
      tally.add(one, kind, ended.overlapped > 0, wrong.length === 0 ? undefined : sentence(one, cuts, wrong));
    }
  }
}

function cutOf(kind: CutKind, random: Random): Cut {
  return kind === 'late' ? { kind, ms: LATE_MS.least + random.below(LATE_MS.most - LATE_MS.least + 1) } : { kind };
}

const anyKind = (random: Random): CutKind => CUT_KINDS[random.below(CUT_KINDS.length)] ?? 'before';

function sentence(one: DoorCase, cuts: readonly Cut[], wrong: readonly string[]): string {
  const how = cuts.map((cut) => (cut.kind === 'late' ? `late by ${cut.ms} ms` : cut.kind)).join(', then ');
  return `${nameOf(one)}, cut ${how}: ${wrong.slice(0, FINDINGS_SAID).join('; ')}`;
}

class Tally {
  readonly #trials = { before: 0, late: 0, withheld: 0 };
  readonly #doors = new Map<string, number>();
  #overlapped = 0;
  readonly findings: string[] = [];

  get total(): number {
    return CUT_KINDS.reduce((sum, kind) => sum + this.#trials[kind], 0);
  }

  add({ door }: DoorCase, kind: CutKind, overlapped: boolean, finding: string | undefined): void {
    this.#trials[kind] += 1;
    this.#doors.set(door, (this.#doors.get(door) ?? 0) + 1);
    if (kind === 'late' && overlapped) this.#overlapped += 1;
    if (finding !== undefined) this.findings.push(finding);
  }

  told(): Omit<Commits, 'cuts' | 'seconds'> {
    return { trials: this.#trials, doors: this.#doors, overlapped: this.#overlapped, findings: this.findings };
  }
}
