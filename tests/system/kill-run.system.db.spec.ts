import { FOR_DEATHS, type KillRun, runKills, summaryOf, voidOf, WEBHOOKS, wrongOf } from '@connector/testing/system/kill/kill-run';
import { seedOf } from '@connector/testing/system/random';

describe('kill run', () => {
  let run: KillRun;
  it('has webhooks enough: what the deaths need is less than there are', () => {
    expect(FOR_DEATHS).toBeLessThan(WEBHOOKS);
  });

  it('comes to rest: 200 webhooks under at least forty kills are all accepted, and everything that can end ends', async () => {
    const seed = seedOf();
    process.stderr.write(`kill run: seed ${seed}\n`);
    run = await runKills(seed);
    process.stderr.write(`kill run: ${summaryOf(run)}\n`);
    expect(run.acknowledged).toBe(WEBHOOKS);
  }, 420_000);

  it('0 doubled, 0 lost, all unknowns listed (decisions 13.14, PUB-ING-04, PUB-EXE-01, PUB-EXE-02)', () => {
    expect(wrongOf(run)).toEqual([]);
  });

  it('not void: every service was killed three times, forty kills in all, ten of them while a permit was sending, thirty-two calls in flight', () => {
    expect(voidOf(run) ?? 'met').toBe('met');
  });
});
