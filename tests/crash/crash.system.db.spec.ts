import { type Matrix, runMatrix } from '@connector/testing/system/crash/matrix';
import { DOORS, samplePoints } from '@connector/testing/system/crash/points';
import { seedOf } from '@connector/testing/system/random';

const POINTS = 60;
const WITHIN_MS = 400_000;

let matrix: Matrix;
beforeAll(async () => {
  const seed = seedOf();
  const choose = (points: Parameters<typeof samplePoints>[0], random: Parameters<typeof samplePoints>[2]) =>
    samplePoints(points, POINTS, random);
  matrix = await runMatrix({ seed, choose, say: (line) => process.stderr.write(`${line}\n`) });
}, WITHIN_MS);

describe('crash matrix', () => {
  it('generated: as many points as the tables of the doors have', () => {
    expect(matrix.generated).toBe(matrix.tabled);
  });

  it('reached: a process died at every chosen point, sixty of them and one of every door', () => {
    expect(matrix.missed).toEqual([]);
    expect(matrix.reached.length).toBeGreaterThanOrEqual(POINTS);
    expect(new Set(matrix.reached.map((name) => name.split('/')[0])).size).toBe(DOORS.length);
  });

  it('nothing lost, nothing doubled, all unknowns listed, after every round', () => {
    expect(matrix.findings).toEqual([]);
  });
});
