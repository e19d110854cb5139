import { crashPoints } from '@connector/kernel/paths';
import { ADAPTER } from '@connector/services/local/src/plan';
import { Random } from '../random';
import { BY_NAME } from './lead';
import { planRounds, SAMPLE_ROUNDS, sampleRounds } from './plan';
import { allPoints, type CrashPoint, DOORS, isGenesis, NOT_LED, TABLED, whyNotLed } from './points';

const pointsOf = (seed: number): readonly CrashPoint[] => allPoints(new Random(seed));

describe('crash points', () => {
  it('generated: every point of every door once, before each statement, before COMMIT and after it', () => {
    const names = pointsOf(1).map(({ name }) => name);
    expect(names).toHaveLength(TABLED);
    expect(new Set(names).size).toBe(TABLED);
    expect(names).toEqual(DOORS.flatMap((door) => crashPoints(door)));
    for (const { name } of DOORS) expect(names).toEqual(expect.arrayContaining([`${name}/commit`, `${name}/committed`]));
  });

  it('not led: only statements of some runs, each of a door that has the others led to', () => {
    const points = pointsOf(1);
    const without = points.filter((point) => whyNotLed(point) !== undefined);
    expect(without.map(({ name }) => name).toSorted()).toEqual(Object.keys(NOT_LED).toSorted());
    for (const { door, conditional } of without) {
      expect(conditional).toBe(true);
      expect(points.some((point) => point.door === door && whyNotLed(point) === undefined)).toBe(true);
    }
  });

  it('led by name: only statements that there are and that are asked for', () => {
    const asked = new Set(pointsOf(1).flatMap((point) => (whyNotLed(point) === undefined ? [point.name] : [])));
    expect(Object.keys(BY_NAME).filter((name) => !asked.has(name))).toEqual([]);
  });

  const draw = (seed: number): readonly CrashPoint[] => {
    const random = new Random(seed);
    return sampleRounds(allPoints(random), SAMPLE_ROUNDS, random);
  };

  it.each([1, 2, 3, 4, 5])(
    'sample by seed %i: each of another door, of every service, the same again by the same seed, in so many rounds',
    (seed) => {
      const sample = draw(seed);
      expect(new Set(sample.map(({ door }) => door)).size).toBe(sample.length);
      expect(new Set(sample.map(({ service }) => service))).toEqual(new Set(pointsOf(seed).map(({ service }) => service)));
      expect(sample.some(({ conditional }) => conditional)).toBe(false);
      expect(sample.filter(isGenesis)).toHaveLength(1);
      expect(draw(seed)).toEqual(sample);
      const rounds = planRounds(
        sample.filter((point) => !isGenesis(point)),
        pointsOf(seed),
      );
      expect(rounds).toHaveLength(SAMPLE_ROUNDS);
    },
  );

  it('sample: no door is left out by every seed', () => {
    const taken = new Set(Array.from({ length: 60 }, (_, seed) => draw(seed + 1)).flatMap((sample) => sample.map(({ door }) => door)));
    expect(DOORS.map(({ name }) => name).filter((name) => !taken.has(name))).toEqual([]);
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
