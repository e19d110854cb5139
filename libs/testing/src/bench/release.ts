import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { RELEASE_LIMITS } from '@connector/catalog/model/limits';
import { exampleRelease, seal } from '../fixtures/app-release';
import { chainedRelease, heavyReleases, hostileBundles } from '../fixtures/limit-releases';
import { figureLine, limitLine, type Line } from './line';
import type { CheckCost, GivenRelease } from './release-check';
import { spreadOf } from './statistics';

const ROUNDS = 5;
const HOSTILE_ROUNDS = 3;
const MS_MAX = 1_000;
const MEGABYTES_MAX = 300;

/** Shape, references, graph, every digest: the whole check of a release, from its bytes to its identity. */
export async function benchRelease(say: (line: string) => void): Promise<readonly Line[]> {
  const { manifest, bundle, blobs } = chainedRelease(RELEASE_LIMITS.components);
  const costs = await checkedOften({ manifest, bundle, blobs }, ROUNDS, 'release');
  const what = `${RELEASE_LIMITS.components} components validated and digested`;
  const note = `${ROUNDS} times, each first in a process of its own; the bundle has ${bundle.length} bytes`;
  return [
    figureLine('g', what, spreadOf(costs.map(({ ms }) => ms)), 'ms of one processor', note),
    figureLine('g', '  memory', spreadOf(costs.map(({ megabytes }) => megabytes)), 'MB', 'by which it raised the peak of the process'),
    ...(await worstLines('bundles made to be slow', hostile(), say)),
    ...(await worstLines('behaviors made to be slow, all that fit', heavy(), say)),
  ];
}

interface Hostile {
  readonly what: string;
  readonly make: () => GivenRelease;
  /** What the check must say of it. */
  readonly answer: string;
}

function hostile(): readonly Hostile[] {
  const { manifest } = seal(exampleRelease());
  return hostileBundles().map(({ what, make, code }) => ({
    what,
    make: () => ({ manifest, bundle: make(), blobs: new Map() }),
    answer: code,
  }));
}

function heavy(): readonly Hostile[] {
  return heavyReleases().map(({ what, make, answer }) => {
    const given = (): GivenRelease => {
      const { manifest, bundle, blobs } = make();
      return { manifest, bundle, blobs };
    };
    return { what, make: given, answer };
  });
}

/** Of every shape each of its rounds; the worst of all is judged. */
async function worstLines(what: string, shapes: readonly Hostile[], say: (line: string) => void): Promise<readonly Line[]> {
  const all: (CheckCost & { readonly of: string })[] = [];
  for (const { what: of, make, answer } of shapes) {
    const costs = await checkedOften(make(), HOSTILE_ROUNDS, answer);
    all.push(...costs.map((cost) => ({ ...cost, of })));
    const [ms, megabytes] = [spreadOf(costs.map((cost) => cost.ms)), spreadOf(costs.map((cost) => cost.megabytes))];
    say(`${what}, ${of}: ${ms.max.toFixed(0)} ms of one processor, ${megabytes.max.toFixed(0)} MB`);
  }
  const worst = (name: 'ms' | 'megabytes') => all.reduce((one, other) => (other[name] > one[name] ? other : one));
  const [slowest, largest] = [worst('ms'), worst('megabytes')];
  const note = (of: string): string => `${of}; of ${shapes.length} shapes, ${HOSTILE_ROUNDS} times each`;
  return [
    limitLine('g', `${what}, the slowest`, slowest.ms, 'ms of one processor', MS_MAX, note(slowest.of)),
    limitLine('g', `${what}, the largest`, largest.megabytes, 'MB', MEGABYTES_MAX, note(largest.of)),
  ];
}

async function checkedOften(given: GivenRelease, times: number, answer: string): Promise<readonly CheckCost[]> {
  const costs: CheckCost[] = [];
  while (costs.length < times) costs.push(await checked(given, answer));
  return costs;
}

/** Throws where the release is judged otherwise than it should be: what that costs says nothing. */
async function checked(given: GivenRelease, answer: string): Promise<CheckCost> {
  const child = fork(join(__dirname, 'release-check.js'), [], { serialization: 'advanced', execArgv: [] });
  const gone = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the checking process ended with ${String(code)}`)));
  child.send(given);
  const [cost] = (await Promise.race([once(child, 'message'), gone])) as [CheckCost];
  await gone.catch(() => undefined);
  if (!cost.answer.split(' ').includes(answer)) throw new Error(`expected ${answer}, found ${cost.answer}`);
  return cost;
}
