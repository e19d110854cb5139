import { type DatabaseRun, killsOf, runDatabaseKills, summaryOf, voidOf, wrongOf } from '@connector/testing/system/faults/database-run';
import { seedOf } from '@connector/testing/system/random';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

describe('database', () => {
  const seed = seedOf();
  const kills = killsOf();
  let run: DatabaseRun;
  beforeAll(async () => {
    say(`database: seed ${seed}`);
    run = await runDatabaseKills(seed, kills, say);
    say(`database: ${summaryOf(run)}`);
  }, 1_800_000);

  it('nothing without an exit: no service ends, all are ready again, and the operator explains every row that has not ended (PUB-EXE-04)', () => {
    expect(wrongOf(run)).toEqual([]);
  });

  it('not void: it died while transactions were in flight', () => {
    expect(voidOf(run, kills) ?? 'met').toBe('met');
  });
});
