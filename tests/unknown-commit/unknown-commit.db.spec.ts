import { OperationId } from '@connector/kernel/ids';
import { UndeterminedFault } from '@connector/kernel/faults';
import { haltGate } from '@connector/connector/transitions/serving/halt-gate.tx';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { CASES, unmatched } from '@connector/testing/commits/cases/all-cases';
import { oneAccount, type DoorCase } from '@connector/testing/commits/cases/door-case';
import { differences } from '@connector/testing/commits/content';
import { runCommits, type Commits } from '@connector/testing/commits/run';
import type { Rule } from '@connector/testing/commits/trial';
import { testDatabase } from '@connector/testing/engine';
import { EVERY_DOOR } from '@connector/testing/system/crash/points';
import { Random, seedOf } from '@connector/testing/system/random';

const WITHIN_MS = 120_000;
const seed = seedOf();
/** Trials of each kind: a look may be later than a late COMMIT. */
const LOOKS = 6;
const quiet = (): void => undefined;

describe('unknown COMMIT', () => {
  let commits: Commits;
  beforeAll(async () => {
    commits = await runCommits({ random: new Random(seed), times: 1, say: quiet });
    const { trials, cuts, overlapped, seconds } = commits;
    const { kind, version } = testDatabase();
    process.stderr.write(
      `unknown COMMIT: seed ${seed}, ${kind} ${version}, ${EVERY_DOOR.length} doors, ${JSON.stringify(trials)}, ${cuts} cut, ${overlapped} late ones after the next try began, ${Math.round(seconds)} s\n`,
    );
  }, WITHIN_MS);

  it('nothing doubled, nothing lost, no wrong answer: rows and answer of every door at every cut are those of an undisturbed run', () => {
    expect(commits.findings).toEqual([]);
  });

  it('every door of every table was cut in each of the three ways, and late ones met a try that had begun', () => {
    expect(unmatched()).toEqual([]);
    expect(EVERY_DOOR.filter(({ name }) => (commits.doors.get(name) ?? 0) < 3)).toEqual([]);
    expect(commits.overlapped).toBeGreaterThan(0);
  });
});

describe('what must be found', () => {
  const one = (door: string): readonly DoorCase[] => CASES.filter((other) => other.door === door).slice(0, 1);
  const found = async (cases: readonly DoorCase[], rule?: Rule, times = 1): Promise<readonly string[]> => {
    const { findings } = await runCommits({ random: new Random(seed), times, cases, say: quiet, ...(rule ? { rule } : {}) });
    return findings;
  };

  it('a door of a table that no case opens, and a case of a door that no table has', () => {
    const without = CASES.filter(({ door }) => door !== 'grant');
    expect(unmatched(undefined, without)).toEqual(['grant has no case']);
    expect(unmatched(['grant'], [...one('grant'), ...one('halt-gate')])).toEqual(['no table has the door halt-gate']);
  });

  it('a lost COMMIT that is taken for a failed one, at every cut', async () => {
    const failed: Rule = () => async (_policy, run) => {
      try {
        return await run();
      } catch (thrown) {
        if (thrown instanceof UndeterminedFault) return { kind: 'not-done' } as never;
        throw thrown;
      }
    };
    const findings = await found([...one('start-sending'), ...one('admit-and-materialize'), ...one('register-pack')], failed);
    expect(findings).toHaveLength(9);
  });

  it('looking instead of writing again: what lands after the look makes the answer a lie', async () => {
    const looks: Rule = async (content) => {
      const before = await content();
      return async (policy, run) => {
        try {
          return await run();
        } catch (thrown) {
          const unknown = thrown instanceof UndeterminedFault;
          if (unknown && differences(before, await content()).length === 0) return { kind: 'not-done' } as never;
          return retrying(policy, run);
        }
      };
    };
    const findings = await found([...one('halt-gate'), ...one('accept-command')], looks, LOOKS);
    for (const door of ['halt-gate', 'accept-command']) expect(findings).toContainEqual(expect.stringContaining(`${door}, cut late`));
    // One that had landed before the look is seen by it.
    expect(findings.filter((finding) => finding.includes('cut withheld:'))).toEqual([]);
  });

  it('an operation id that is made anew for each try', async () => {
    const halting: DoorCase = {
      door: 'halt-gate',
      arrange: async ({ main }) => {
        const { account, fence } = await oneAccount(main);
        const asked = { account, expectedFence: fence, by: 'test', reason: 'test' };
        const halt = (db: Parameters<typeof haltGate>[0]) => haltGate(db, { ...asked, operationId: OperationId.mint() });
        return { run: (db, again) => again(ANSWER_SOON, () => halt(db)) };
      },
    };
    const findings = await found([halting]);
    for (const kind of ['late', 'withheld']) expect(findings).toContainEqual(expect.stringContaining(`, cut ${kind}`));
  });
});
