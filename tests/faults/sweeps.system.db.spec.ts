import { runSweepKills, summaryOf, type SweepRun, voidOf, wrongOf } from '@connector/testing/system/faults/sweep-run';
import { seedOf } from '@connector/testing/system/random';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

describe('sweeps', () => {
  const seed = seedOf();
  let run: SweepRun;
  beforeAll(async () => {
    say(`sweeps: seed ${seed}`);
    run = await runSweepKills(seed);
    say(`sweeps: ${summaryOf(run)}`);
  }, 900_000);

  it('ready, leased and completed are a thousand at every sample while twenty sweeps die in the middle, and all complete (PUB-EXE-02)', () => {
    expect(wrongOf(run)).toEqual([]);
  });

  it('not void: each of the twenty kills left leases behind, and work to claim', () => {
    expect(voidOf(run) ?? 'met').toBe('met');
  });
});
