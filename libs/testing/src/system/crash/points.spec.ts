import { crashPoints } from '@connector/kernel/paths';
import { ADAPTER } from '@connector/services/local/src/plan';
import { Random } from '../random';
import { planRounds } from './plan';
import { allPoints, type CrashPoint, DOORS, isGenesis, SAMPLE, samplePoints, TABLED } from './points';

const pointsOf = (seed: number): readonly CrashPoint[] => allPoints(new Random(seed));

describe('crash points', () => {
  it('generated: every point of every door once, before each statement, before COMMIT and after it', () => {
    const names = pointsOf(1).map(({ name }) => name);
    expect(names).toHaveLength(TABLED);
    expect(new Set(names).size).toBe(TABLED);
    expect(names).toEqual(DOORS.flatMap((door) => crashPoints(door)));
    for (const { name } of DOORS) expect(names).toEqual(expect.arrayContaining([`${name}/commit`, `${name}/committed`]));
  });

  it.each([1, 2, 3, 4, 5])('sample by seed %i: one of every door, as many as are asked for, the same again by the same seed', (seed) => {
    const draw = (): readonly CrashPoint[] => {
      const random = new Random(seed);
      return samplePoints(allPoints(random), SAMPLE, random);
    };
    const sample = draw();
    expect(sample).toHaveLength(SAMPLE);
    expect(new Set(sample.map(({ door }) => door)).size).toBe(DOORS.length);
    expect(new Set(sample.map(({ name }) => name)).size).toBe(SAMPLE);
    expect(sample.some(({ conditional }) => conditional)).toBe(false);
    expect(draw()).toEqual(sample);
  });

  it('rounds: every point is in one, a service is in each once, and no adapter is to die where the script needs a living one', () => {
    const all = pointsOf(7);
    const points = all.filter((point) => !isGenesis(point));
    const rounds = planRounds(points, all);
    const met = new Set(rounds.flat(2));
    expect(points.filter((point) => !met.has(point))).toEqual([]);
    for (const round of rounds) {
      const services = round.map((lane) => lane[0]?.service);
      expect(new Set(services).size).toBe(services.length);
      const needed = round
        .flat()
        .some(({ door }) => ['record-termination', 'record-isolation', 'abandon-permits', 'create-effects'].includes(door));
      expect(needed && services.includes(ADAPTER)).toBe(false);
    }
  });
});
