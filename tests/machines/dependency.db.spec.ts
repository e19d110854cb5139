import { LaneId } from '@connector/kernel/ids';
import { dependencyMachine } from '@connector/connector/model/execution/dependency';
import { claimLanes } from '@connector/connector/transitions/execution/claim-lanes.tx';
import { disposeGaps } from '@connector/connector/transitions/execution/dispose-gaps.tx';
import type { TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { arrive, laneOf, passDeadlines, strictRoute } from '@connector/testing/fixtures/ordered';
import type { Subject } from './moves';
import type { Tap } from './tap';
import { countOf, disturbed, faults, moved, trialOf, unlisted, untried, type Trial, type Try } from './trial';

const subject: Subject = { machine: dependencyMachine, table: 'con_execution_dependency', column: 'state' };
let trial: Trial;

function tries(schema: TestSchema, tap: Tap): readonly Try[] {
  let accounts = 0;
  /** Position 1 is missing before position 2, and that is written down; then it comes, or its deadline does. */
  const gap = async (then: 'arrives' | 'deadline'): Promise<ServedAccount> => {
    accounts += 1;
    const [served] = (await serveAccounts(schema, [`n${accounts}/acme`])) as [ServedAccount];
    await arrive(tap.db, served, strictRoute(), [{ record: 'r1', at: 2 }]);
    await claim(served);
    if (then === 'arrives') await arrive(tap.db, served, strictRoute(), [{ record: 'r1', at: 1 }]);
    else await passDeadlines(schema);
    return served;
  };
  const claim = (served: ServedAccount): Promise<unknown> =>
    claimLanes(tap.db, served, { claimant: 'c-1', leaseMs: 60_000, lanes: [laneOf(served, 'r1')] });
  const on = (door: string, then: 'arrives' | 'deadline', open: (served: ServedAccount) => Promise<unknown>): Try => ({
    door,
    arrange: async () => {
      const served = await gap(then);
      const key = { lane_id: LaneId.bytes(laneOf(served, 'r1')), missing_position: Buffer.from('0000000000000001', 'hex') };
      return { key, open: () => open(served) };
    },
  });
  return [
    on('claim-lanes', 'arrives', claim),
    on('dispose-gaps', 'deadline', (served) => disposeGaps(tap.db, served, [laneOf(served, 'r1')])),
  ];
}

beforeAll(async () => {
  trial = await trialOf(subject, tries);
  console.log(`ExecutionDependency: ${countOf(trial)}`);
});

describe('ExecutionDependency, 4 states, 16 pairs', () => {
  it('tried: every door and statement that writes one; a refusal is answered, not thrown', () => {
    expect(untried(trial)).toEqual([]);
    expect(faults(trial)).toEqual([]);
  });

  it('moved: con:NEG-XDEP con:XDEP-01 con:XDEP-02 by the doors and by the statements alone the same two pairs', () => {
    expect(moved(trial.opened)).toEqual(['waiting>expired', 'waiting>satisfied']);
    expect(moved(trial.replayed)).toEqual(trial.said.moves);
    expect(trial.said.later).toEqual(['waiting>rejected']);
    expect(unlisted(trial)).toEqual([]);
  });

  it('untouched: con:XDEP-M con:SM-ALL-04 by every door and statement once it has an outcome', () => {
    expect(disturbed(trial, dependencyMachine.terminal)).toEqual([]);
  });

  it('born: con:SM-ALL-03 waiting and in no other state', () => {
    expect([...trial.born]).toEqual(['waiting']);
  });
});
