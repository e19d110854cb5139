import { LEASED, runTakeover, type TakeoverRun, TAKEOVER_MS_MAX } from '@connector/testing/system/faults/takeover-run';

describe('takeover', () => {
  let run: TakeoverRun;
  beforeAll(async () => {
    run = await runTakeover();
    process.stderr.write(`takeover: ${run.after.length} executions in ${run.tookMs} ms\n`);
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
