import { footprint, mergesOf, traceKey, type Footprint } from './trace';
import { Tree } from './tree';

type Script = readonly string[];

/** Sessions whose steps nobody has to wait for. */
function play(scripts: readonly Script[], choose: (options: readonly Footprint[]) => number): readonly Footprint[] {
  const done = scripts.map((): string[] => []);
  const events: Footprint[] = [];
  for (;;) {
    const options = scripts.flatMap((script, at) => {
      const next = script[done[at]?.length ?? 0];
      return next === undefined ? [] : [footprint(at, next, done[at] ?? [])];
    });
    if (options.length === 0) return events;
    const chosen = choose(options);
    const event = options.find(({ actor }) => actor === chosen) as Footprint;
    done[chosen]?.push(event.step);
    events.push(event);
  }
}

function all(
  scripts: readonly Script[],
  reduced: boolean,
): { readonly schedules: readonly string[]; readonly traces: ReadonlySet<string> } {
  const tree = new Tree(reduced);
  const schedules: string[] = [];
  const traces = new Set<string>();
  do {
    const events = play(scripts, tree.choose);
    if (tree.redundant) continue;
    schedules.push(events.map(({ actor }) => actor).join(''));
    traces.add(traceKey(events));
  } while (tree.advance());
  return { schedules, traces };
}

const APART: readonly Script[] = [
  ['lock a', 'update a', 'commit'],
  ['lock b', 'update b', 'commit'],
];
const SHARED: readonly Script[] = [
  ['read x', 'lock a', 'update b', 'commit'],
  ['lock b', 'read x', 'update a', 'commit'],
];
const THREE: readonly Script[] = [
  ['lock a', 'update b', 'commit'],
  ['lock b', 'commit'],
  ['read a', 'insert c', 'commit'],
];

describe('tree of schedules', () => {
  it.each([APART, SHARED, THREE])(
    'each once: as many schedules as the statements have merges, and no two of them the same (%#)',
    (...scripts) => {
      const { schedules } = all(scripts, false);
      expect(new Set(schedules).size).toBe(schedules.length);
      expect(BigInt(schedules.length)).toBe(mergesOf(scripts.map((script) => script.length)));
    },
  );

  it('one: sessions that touch nothing in common have a single order but for steps that commute', () => {
    expect(all(APART, true).schedules).toHaveLength(1);
    expect(all(APART, false).traces.size).toBe(1);
  });

  it.each([SHARED, THREE])('none lost: the reduction keeps one order of every class, and fewer orders (%#)', (...scripts) => {
    const [whole, reduced] = [all(scripts, false), all(scripts, true)];
    expect([...reduced.traces].sort()).toEqual([...whole.traces].sort());
    expect(reduced.schedules.length).toBeLessThan(whole.schedules.length);
  });

  it('the same again: a replayed prefix asks for the session that it had', () => {
    const tree = new Tree(false);
    const first = play(SHARED, tree.choose);
    tree.again();
    expect(play(SHARED, tree.choose)).toEqual(first);
  });
});

describe('footprints', () => {
  const key = (...events: readonly Footprint[]): string => traceKey(events);
  const [readX, otherX] = [footprint(0, 'read x', []), footprint(1, 'read x', [])];
  const [writesX, letsGo] = [footprint(1, 'update x#label', []), footprint(1, 'commit', ['lock x', 'read y'])];

  it('commute: two reads of one table, in both orders one class', () => {
    expect(key(readX, otherX)).toBe(key(otherX, readX));
  });

  it('do not commute: a read and a write of one table, or a COMMIT that lets go of it', () => {
    expect(key(readX, writesX)).not.toBe(key(writesX, readX));
    expect(key(readX, letsGo)).not.toBe(key(letsGo, readX));
  });
});
