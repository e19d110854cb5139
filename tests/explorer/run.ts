import { Random } from '@connector/testing/system/random';
import { exploreGroup, hunt, sampleGroup, WHOLE_MAX, type GroupReport, type MutantReport } from './explore';
import { Explorer } from './explorer';
import { groupOf, GROUPS } from './groups';
import { INVARIANTS } from './invariants';
import { JUDGED } from './judge';
import { MUTANTS } from './mutants';
import { explorePairs, type PairsReport } from './pairs';

export interface Plan {
  readonly seed: number;
  /** Part of a group's name; without it everything. */
  readonly only?: string;
  readonly sampled: boolean;
  /** Schedules up to which a group is run whole; WHOLE_MAX unless somebody has less time. */
  readonly whole?: number;
  readonly say: (line: string) => void;
}

export interface Report {
  readonly engine: string;
  readonly seed: number;
  readonly invariants: readonly string[];
  readonly groups: readonly GroupReport[];
  readonly mutants: readonly MutantReport[];
  /** Absent where only some groups were asked for, and in a sample. */
  readonly pairs?: PairsReport;
  readonly failures: readonly string[];
  readonly seconds: number;
}

const SAMPLE = 500;
const SAMPLE_OF_TESTS = 3;
const HUNT_MAX = 200;
const PAIR_SCHEDULES = 10;

const CHECKED: readonly string[] = [
  ...INVARIANTS.map(({ id, says }) => `${id} ${says}`),
  ...Object.entries(JUDGED).map(([id, says]) => `${id} ${says}`),
];

/** Every group, then every mutant of these groups, then every pair of doors. */
export async function runExplorer(plan: Plan): Promise<Report> {
  const began = performance.now();
  const random = new Random(plan.seed);
  const explorer = await Explorer.open();
  try {
    const engine = await explorer.engine();
    plan.say(`order explorer on ${engine}, seed ${plan.seed}`);
    CHECKED.forEach((line) => plan.say(`  checked after every commit: ${line}`));
    const groups = await exploreAll(explorer, plan, random);
    const mutants = await huntAll(explorer, plan, random);
    const pairs = plan.sampled || plan.only !== undefined ? undefined : await explorePairs(random, PAIR_SCHEDULES);
    if (pairs !== undefined) plan.say(lineOfPairs(pairs));
    const failures = [...groups.flatMap(failuresOf), ...mutants.flatMap(escapesOf), ...(pairs?.findings ?? [])];
    const seconds = (performance.now() - began) / 1000;
    return { engine, seed: plan.seed, invariants: CHECKED, groups, mutants, ...(pairs ? { pairs } : {}), failures, seconds };
  } finally {
    await explorer.close();
  }
}

const asked = (name: string, { only }: Plan): boolean => only === undefined || name.includes(only);

async function exploreAll(explorer: Explorer, plan: Plan, random: Random): Promise<readonly GroupReport[]> {
  const reports: GroupReport[] = [];
  for (const group of GROUPS.filter(({ name }) => asked(name, plan))) {
    const report = plan.sampled
      ? await sampleGroup(explorer, group, random, SAMPLE_OF_TESTS)
      : await exploreGroup(explorer, group, random, { whole: plan.whole ?? WHOLE_MAX, sample: SAMPLE, say: plan.say });
    plan.say(lineOfGroup(report));
    failuresOf(report).forEach((failure) => plan.say(`  FOUND ${failure}`));
    reports.push(report);
  }
  return reports;
}

async function huntAll(explorer: Explorer, plan: Plan, random: Random): Promise<readonly MutantReport[]> {
  const reports: MutantReport[] = [];
  for (const mutant of MUTANTS.filter(({ group }) => asked(group, plan))) {
    const report = await hunt(explorer, mutant, groupOf(mutant.group), random, HUNT_MAX);
    plan.say(lineOfMutant(report));
    reports.push(report);
  }
  return reports;
}

/** At most so many of the schedules that contradict something: the first ones say it. */
const SHOWN = 3;

function failuresOf({ group, findings, void: isVoid }: GroupReport): readonly string[] {
  const shown = findings.slice(0, SHOWN).map(({ id, detail, schedule }) => `${group}: ${id}: ${detail}; in ${schedule}`);
  const rest = findings.length > SHOWN ? [`${group}: ${findings.length - SHOWN} more`] : [];
  return [
    ...(isVoid ? [`${group}: void, nobody waited for the row that its doors share, or no order changed an outcome`] : []),
    ...shown,
    ...rest,
  ];
}

function escapesOf({ path, kind, statements, group, found, voids }: MutantReport): readonly string[] {
  const name = `mutant of ${path}, ${kind}, ${statements.join(' and ')}, in ${group}`;
  return [
    ...(voids.length > 0 ? [`${name}: void, nothing to change in ${voids.join(', ')}`] : []),
    ...(voids.length === 0 && found.length === 0 ? [`${name}: not found`] : []),
  ];
}

const counts = (of: Readonly<Record<string, number>>): string =>
  Object.entries(of)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

function lineOfGroup(report: GroupReport): string {
  const { group, merges, schedules, covered, reduced, blocked, commits, outcomes, answers, seconds } = report;
  return (
    `${group}: ${schedules} schedules, ${covered}, ${reduced} but for steps that commute (merges of the statements: ${merges}); ` +
    `blocked ${blocked}, commits ${commits}, outcomes ${outcomes}; answers: ${counts(answers)}; ${seconds.toFixed(1)} s`
  );
}

function lineOfMutant({ path, kind, statements, group, found, after, voids }: MutantReport): string {
  const caught = [...new Set(found.map(({ id }) => id))].join(' ');
  const verdict = voids.length > 0 ? `VOID ${voids.join(', ')}` : caught === '' ? 'NOT FOUND' : `found by ${caught}`;
  return `mutant ${path}, ${kind}: ${statements.join(' + ')}; ${verdict} in ${group} after ${after}`;
}

const lineOfPairs = ({ doors, pairs, schedules, blocked, findings, seconds }: PairsReport): string =>
  `lock order: ${pairs} pairs of ${doors} doors, ${schedules} schedules, blocked ${blocked}, ${findings.length} deadlocks; ${seconds.toFixed(1)} s`;
