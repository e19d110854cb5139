import { Mutation } from '@connector/testing/explorer/mutation';
import { mergesOf, traceKey, type Footprint } from '@connector/testing/explorer/trace';
import { Tree } from '@connector/testing/explorer/tree';
import type { Random } from '@connector/testing/system/random';
import type { Choose, Explored, Explorer } from './explorer';
import type { Group } from './group';
import type { Finding } from './judge';
import type { Mutant } from './mutant';
import { kindsOf } from './outcome';

/** A group with at most this many schedules is run whole (decisions 13.13). */
export const WHOLE_MAX = 5000;

const TOLD_EVERY = 250;

export interface GroupReport {
  readonly group: string;
  /** Orders of the statements if nobody ever waited. */
  readonly merges: string;
  /** Schedules that were run, each another one. */
  readonly schedules: number;
  /** What these are of all that there are. */
  readonly covered: 'every schedule' | 'one of every class of commuting orders' | 'a sample';
  /** Those that differ in more than the order of steps that commute. */
  readonly reduced: number;
  /** Statements that waited for a lock, in all schedules. */
  readonly blocked: number;
  readonly commits: number;
  /** Answers by kind, over all parts. */
  readonly answers: Readonly<Record<string, number>>;
  /** How often each order of commits came. */
  readonly orders: Readonly<Record<string, number>>;
  readonly findings: readonly (Finding & { readonly schedule: string })[];
  /** Outcomes that differ in more than minted ids and times. */
  readonly outcomes: number;
  readonly void: boolean;
  readonly seconds: number;
}

/** What the schedules of a group come to, one after the other. */
class Tally {
  readonly #group: Group;
  readonly #began = performance.now();
  readonly #seen = new Set<string>();
  readonly #traces = new Set<string>();
  readonly #answers = new Map<string, number>();
  readonly #orders = new Map<string, number>();
  readonly #findings: (Finding & { schedule: string })[] = [];
  readonly #outcomes = new Set<string>();
  #met = false;
  #blocked = 0;
  #commits = 0;
  #merges = 0n;

  constructor(group: Group) {
    this.#group = group;
  }

  get schedules(): number {
    return this.#seen.size;
  }

  add({ happened, outcome, findings }: Explored): void {
    const { events, blocked, commits, ends } = happened;
    const schedule = events.map(({ actor, step }) => `${actor}:${step}`).join(', ');
    if (this.#seen.has(schedule)) return;
    this.#seen.add(schedule);
    this.#traces.add(traceKey(events));
    this.#blocked += blocked.length;
    this.#met ||= blocked.some((step) => step.split(/[ #]/)[1] === this.#group.meets);
    this.#outcomes.add([...outcome.answers, outcome.rows].join('\n'));
    this.#commits += commits.length;
    ends.forEach((end) => raise(this.#answers, kindsOf(end)));
    raise(this.#orders, commits.join());
    const merges = mergesOf(ends.map((_, at) => events.filter(({ actor }) => actor === at).length));
    if (merges > this.#merges) this.#merges = merges;
    this.#findings.push(...findings.map((finding) => ({ ...finding, schedule })));
  }

  report(covered: GroupReport['covered']): GroupReport {
    return {
      group: this.#group.name,
      merges: String(this.#merges),
      schedules: this.#seen.size,
      covered,
      reduced: this.#traces.size,
      blocked: this.#blocked,
      commits: this.#commits,
      answers: Object.fromEntries(this.#answers),
      orders: Object.fromEntries(this.#orders),
      findings: this.#findings,
      outcomes: this.#outcomes.size,
      void: this.#group.meets === undefined ? this.#outcomes.size < 2 : !this.#met,
      seconds: (performance.now() - this.#began) / 1000,
    };
  }
}

const raise = (counts: Map<string, number>, name: string): Map<string, number> => counts.set(name, (counts.get(name) ?? 0) + 1);

export interface Budget {
  /** Schedules at most before the group counts as too large to be run whole. */
  readonly whole: number;
  /** Random schedules where it is. */
  readonly sample: number;
  /** Told now and then how far it is. */
  readonly say: (line: string) => void;
}

/** All schedules of a group; beyond the budget one of each class of commuting orders, every pair of statements in both orders, and a sample. */
export async function exploreGroup(explorer: Explorer, group: Group, random: Random, budget: Budget): Promise<GroupReport> {
  const tally = new Tally(group);
  if (await walk(explorer, group, tally, new Tree(false), budget)) return tally.report('every schedule');
  const reduced = await walk(explorer, group, tally, new Tree(true), budget);
  await pairwise(explorer, group, tally, budget.whole);
  for (let at = 0; at < budget.sample; at += 1) tally.add(await explorer.run(group, atRandom(random)));
  return tally.report(reduced ? 'one of every class of commuting orders' : 'a sample');
}

/** A few schedules for every run of the tests: each part held at its COMMIT while the others come, and some at random. */
export async function sampleGroup(explorer: Explorer, group: Group, random: Random, count: number): Promise<GroupReport> {
  const tally = new Tally(group);
  const parts = [...((await explorer.serial(group)).keys().next().value ?? '').split(',').keys()];
  for (const part of parts) tally.add(await explorer.run(group, holding(part)));
  // Where nobody waits no part held back shows what comes of it when it is whole before the others.
  if (group.meets === undefined) for (const part of parts) tally.add(await explorer.run(group, ahead(part)));
  for (let at = 0; at < count; at += 1) tally.add(await explorer.run(group, atRandom(random)));
  return tally.report('a sample');
}

const ahead =
  (part: number): Choose =>
  (options) =>
    (options.find(({ actor }) => actor === part) ?? (options[0] as Footprint)).actor;

/** One part with all its locks at its COMMIT, until nobody else can go on. */
function holding(part: number): Choose {
  const rank = ({ actor, step }: Footprint): number => (actor !== part ? 1 : step === 'commit' ? 2 : 0);
  return (options) => options.reduce((best, option) => (rank(option) < rank(best) ? option : best)).actor;
}

/** Whether the tree came to its end within `max` runs. */
async function walk(explorer: Explorer, group: Group, tally: Tally, tree: Tree, { whole, say }: Budget): Promise<boolean> {
  for (let runs = 0; runs < whole; runs += 1) {
    if (runs > 0 && runs % TOLD_EVERY === 0) say(`${group.name}: ${runs} schedules so far`);
    const explored = await explorer.run(group, tree.choose);
    if (!tree.redundant) tally.add(explored);
    if (!tree.advance()) return true;
  }
  return false;
}

export const atRandom =
  (random: Random): Choose =>
  (options) =>
    (options[random.below(options.length)] as Footprint).actor;

/** Stops each of two parts before one of its statements, for every two statements, and lets them run in both orders. */
async function pairwise(explorer: Explorer, group: Group, tally: Tally, max: number): Promise<void> {
  const { happened } = await explorer.run(group, ([first]) => (first as Footprint).actor);
  const lengths = happened.ends.map((_, at) => happened.events.filter(({ actor }) => actor === at).length);
  const pairs = lengths.flatMap((_, one) => lengths.flatMap((__, other) => (one === other ? [] : [[one, other] as const])));
  const places = pairs.flatMap(([one, other]) =>
    everyPlace(lengths[one] ?? 0, lengths[other] ?? 0).map(([at, to]) => ({ one, other, at, to })),
  );
  for (const place of places.slice(0, max)) tally.add(await explorer.run(group, meeting(place)));
}

const everyPlace = (left: number, right: number): readonly (readonly [number, number])[] =>
  Array.from({ length: left * right }, (_, at) => [Math.floor(at / right), at % right] as const);

/** `one` runs to its statement `at`, `other` to its statement `to`; then one step of `one`, and of `other`, and on. */
function meeting({ one, other, at, to }: { one: number; other: number; at: number; to: number }): Choose {
  const plan = [...Array<number>(at).fill(one), ...Array<number>(to).fill(other), one, other];
  let step = 0;
  return (options) => {
    const wanted = plan[step];
    step += 1;
    return (options.find(({ actor }) => actor === wanted) ?? (options[0] as Footprint)).actor;
  };
}

export interface MutantReport {
  readonly path: string;
  readonly kind: Mutant['kind'];
  readonly statements: readonly string[];
  readonly group: string;
  /** What caught it; empty where nothing did. */
  readonly found: readonly Finding[];
  readonly after: number;
  /** Changes that no statement met, or whose text no statement has. */
  readonly voids: readonly string[];
}

/** Schedules until the first that contradicts something: one random, one of the tree, and so on. */
export async function hunt(explorer: Explorer, mutant: Mutant, group: Group, random: Random, max: number): Promise<MutantReport> {
  const { path, kind, changes = [], instead } = mutant;
  const mutation = new Mutation(changes);
  const tree = new Tree(false);
  const report = (found: readonly Finding[], after: number): MutantReport => ({
    path,
    kind,
    statements: instead === undefined ? changes.map(({ door, statement }) => `${door}/${statement}`) : [instead.says],
    group: group.name,
    found,
    after,
    voids: [...mutation.unmet, ...mutation.missing],
  });
  let left = true;
  for (let runs = 1; runs <= max; runs += 1) {
    const guided = left && runs % 2 === 1;
    const { findings } = await explorer.run(group, guided ? tree.choose : atRandom(random), { mutation, arrange: instead?.arrange });
    if (mutation.missing.length > 0) return report([], runs);
    if (findings.length > 0) return report(findings, runs);
    if (guided) left = tree.advance();
  }
  return report([], max);
}
