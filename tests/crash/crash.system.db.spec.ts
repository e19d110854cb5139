import { type Matrix, runMatrix } from '@connector/testing/system/crash/matrix';
import { SAMPLE_ROUNDS, sampleRounds } from '@connector/testing/system/crash/plan';
import { seedOf } from '@connector/testing/system/random';

const WITHIN_MS = 400_000;

let matrix: Matrix;
beforeAll(async () => {
  const seed = seedOf();
  const choose = (points: Parameters<typeof sampleRounds>[0], random: Parameters<typeof sampleRounds>[2]) =>
    sampleRounds(points, SAMPLE_ROUNDS, random);
  matrix = await runMatrix({ seed, choose, say: (line) => process.stderr.write(`${line}\n`) });
}, WITHIN_MS);

describe('crash matrix', () => {
  it('generated: as many points as the tables of the doors have', () => {
    expect(matrix.generated).toBe(matrix.tabled);
  });

  it('reached: a process died at every chosen point, each of another door', () => {
    expect(matrix.missed).toEqual([]);
    expect(matrix.reached).toHaveLength(matrix.asked);
    expect(new Set(matrix.reached.map((name) => name.split('/')[0])).size).toBe(matrix.asked);
  });

  it('same rows: installations on whose way a process died are what an undisturbed one is (decisions 13.14)', () => {
    expect(matrix.compared).toBeGreaterThan(0);
    expect(matrix.findings.filter((finding) => /is not the undisturbed one/.test(finding))).toEqual([]);
  });

  it('nothing lost, nothing doubled, all unknowns listed, after every round', () => {
    expect(matrix.findings).toEqual([]);
  });
});
