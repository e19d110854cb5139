import * as database from '@connector/testing/system/faults/database-run';
import * as sweep from '@connector/testing/system/faults/sweep-run';
import { LEASED, runTakeover, type TakeoverRun, TAKEOVER_MS_MAX } from '@connector/testing/system/faults/takeover-run';
import { seedOf } from '@connector/testing/system/random';

const seed = seedOf();
const say = (line: string): void => void process.stderr.write(`${line}\n`);

describe('database', () => {
  const kills = database.killsOf();
  let run: database.DatabaseRun;
  beforeAll(async () => {
    say(`database: seed ${seed}`);
    run = await database.runDatabaseKills(seed, kills, say);
    say(`database: ${database.summaryOf(run)}`);
  }, 1_800_000);

  it('nothing without an exit: no service ends, all are ready again, and the operator explains every row that has not ended (PUB-EXE-04)', () => {
    expect(database.wrongOf(run)).toEqual([]);
  });

  it('not void: it died while transactions were in flight, on an engine that writes its log at every COMMIT', () => {
    expect(database.voidOf(run, kills) ?? 'met').toBe('met');
  });
});

describe('sweeps', () => {
  let run: sweep.SweepRun;
  beforeAll(async () => {
    say(`sweeps: seed ${seed}`);
    run = await sweep.runSweepKills(seed);
    say(`sweeps: ${sweep.summaryOf(run)}`);
  }, 900_000);

  it('ready, leased and completed are a thousand at every sample while twenty sweeps die in the middle, and all complete (PUB-EXE-02)', () => {
    expect(sweep.wrongOf(run)).toEqual([]);
  });

  it('not void: each of the twenty kills left leases behind, and work to claim', () => {
    expect(sweep.voidOf(run) ?? 'met').toBe('met');
  });
});

describe('takeover', () => {
  let run: TakeoverRun;
  beforeAll(async () => {
    run = await runTakeover();
    say(`takeover: ${run.after.length} executions in ${run.tookMs} ms`);
  }, 300_000);

  it('within 30 s, as it ships, another process claims all ten executions of a claimant that was killed, at attempt 2 (PUB-EXE-03)', () => {
    const ids = run.before.map(({ id }) => id);
    const dead = new Set(run.before.map(({ claimant }) => claimant));
    expect(ids).toHaveLength(LEASED);
    expect(run.after.map(({ id, attempts }) => [id, attempts])).toEqual(ids.map((id) => [id, 2]));
    expect(run.after.filter(({ claimant }) => dead.has(claimant))).toEqual([]);
    expect(run.tookMs).toBeLessThan(TAKEOVER_MS_MAX);
  });

  it('one result each: the ledgers agree once the handlers that were frozen have ended', () => {
    expect(run.findings).toEqual([]);
  });
});
