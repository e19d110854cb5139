import { ExecutionId, type ReceiptId } from '@connector/kernel/ids';
import { executionMachine } from '@connector/connector/model/execution/execution';
import { claimExecutions } from '@connector/connector/transitions/execution/claim-executions.tx';
import { claimLanes } from '@connector/connector/transitions/execution/claim-lanes.tx';
import { disposeGaps } from '@connector/connector/transitions/execution/dispose-gaps.tx';
import { recordResults } from '@connector/connector/transitions/execution/record-results.tx';
import { admitAndMaterialize, prepareDelivery } from '@connector/connector/transitions/inbound/admit-and-materialize.tx';
import { materializeReceipt } from '@connector/connector/transitions/inbound/materialize-receipts.tx';
import type { TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { delivery, item, ROUTE } from '@connector/testing/fixtures/delivery';
import { receiptFor } from '@connector/testing/fixtures/execution';
import { arrive, laneOf, latestRoute, passDeadlines, resultFor, strictRoute } from '@connector/testing/fixtures/ordered';
import type { Subject } from './moves';
import type { RouteRef } from '@connector/connector/model/inbound/delivery';
import type { Tap } from './tap';
import { countOf, disturbed, faults, moved, trialOf, unlisted, untried, type Trial, type Try } from './trial';

const subject: Subject = { machine: executionMachine, table: 'con_execution', column: 'state' };
const ITEM = { kind: 'items', items: [item(0, 'a')] } as const;
let trial: Trial;
const PAIRS = [
  'ready>completed',
  'ready>quarantined',
  'ready>waiting_dependency',
  'waiting_dependency>quarantined',
  'waiting_dependency>ready',
];

interface Work {
  readonly served: ServedAccount;
  readonly executionId: ExecutionId;
}

function tries(schema: TestSchema, tap: Tap): readonly Try[] {
  const claim = ({ served, executionId }: Work): Promise<unknown> =>
    claimExecutions(tap.db, served, { claimant: 'c-1', leaseMs: 60_000, executions: [executionId] });
  const admit = async (served: ServedAccount, transportKey: string): Promise<ExecutionId> => {
    const prepared = prepareDelivery(served, ROUTE, delivery(served, transportKey, transportKey), ITEM);
    await admitAndMaterialize(tap.db, served, ROUTE, [prepared]);
    return (prepared.children?.items[0] as { executionId: ExecutionId }).executionId;
  };
  let accounts = 0;
  const work = async (): Promise<Work> => {
    accounts += 1;
    const [served] = (await serveAccounts(schema, [`n${accounts}/acme`])) as [ServedAccount];
    return { served, executionId: await admit(served, 'msg_1') };
  };
  const claimed = async (): Promise<Work> => {
    const made = await work();
    await claim(made);
    return made;
  };
  /** Event and projection are gone, so that whoever meets the item again makes its execution again. */
  const orphan = async (): Promise<Work> => {
    const made = await work();
    for (const table of ['con_event', 'con_projection'])
      await schema.sql(`DELETE FROM ${table} WHERE account = ?`, [Buffer.from(made.served.account)]);
    return made;
  };
  const stored = async (): Promise<Work & { readonly receiptId: ReceiptId }> => {
    const made = await orphan();
    const { served } = made;
    const alone = prepareDelivery(served, ROUTE, delivery(served, 'msg_2', 'many'), { kind: 'deferred' });
    await admitAndMaterialize(tap.db, served, ROUTE, [alone]);
    return { ...made, receiptId: alone.delivery.receiptId };
  };
  const on = <W extends Work>(door: string, make: () => Promise<W>, open: (made: W) => Promise<unknown>): Try => ({
    door,
    arrange: async () => {
      const made = await make();
      return { key: { execution_id: ExecutionId.bytes(made.executionId) }, open: () => open(made) };
    },
  });
  const lanes = ({ served }: Work): Promise<unknown> =>
    claimLanes(tap.db, served, { claimant: 'c-1', leaseMs: 60_000, lanes: [laneOf(served, 'r1')] });
  /** Of a lane of its own: the execution of the position `of` after these arrived, one delivery each. */
  const inLane = async (route: RouteRef, positions: readonly number[], of: number): Promise<Work> => {
    accounts += 1;
    const [served] = (await serveAccounts(schema, [`n${accounts}/acme`])) as [ServedAccount];
    const made = new Map<number, ExecutionId>();
    for (const at of positions) made.set(at, (await arrive(tap.db, served, route, [{ record: 'r1', at }]))[0] as ExecutionId);
    return { served, executionId: made.get(of) as ExecutionId };
  };
  /** Position 1 is missing before position 2, and that is written down. */
  const gapBefore = async (gapThen: 'quarantine' | 'skip', first: boolean): Promise<Work> => {
    const made = await inLane(strictRoute({ gapThen }), [2], 2);
    await lanes(made);
    if (first) await arrive(tap.db, made.served, strictRoute({ gapThen }), [{ record: 'r1', at: 1 }]);
    else await passDeadlines(schema);
    return made;
  };
  const dispose = ({ served }: Work): Promise<unknown> => disposeGaps(tap.db, served, [laneOf(served, 'r1')]);
  const atWork = async (): Promise<Work> => {
    const made = await inLane(strictRoute(), [1], 1);
    await lanes(made);
    return made;
  };
  return [
    on('claim-lanes', () => inLane(strictRoute(), [1], 1), lanes),
    on('claim-lanes', () => inLane(latestRoute(), [1, 2], 1), lanes),
    on('claim-lanes', () => inLane(strictRoute(), [2], 2), lanes),
    on('claim-lanes', () => gapBefore('quarantine', true), lanes),
    on('dispose-gaps', () => gapBefore('quarantine', false), dispose),
    on('dispose-gaps', () => gapBefore('skip', false), dispose),
    on('record-results', atWork, async ({ served, executionId }) =>
      recordResults(tap.db, served.account, [await resultFor(schema, executionId)]),
    ),
    on('claim-executions', work, claim),
    on('record-results', claimed, async ({ served, executionId }) =>
      recordResults(tap.db, served.account, [await receiptFor(schema, executionId)]),
    ),
    on('admit-and-materialize', orphan, ({ served }) => admit(served, 'msg_3')),
    on('materialize-receipts', stored, ({ served, receiptId }) =>
      materializeReceipt(tap.db, served, { receiptId, route: ROUTE, from: 0, next: 1, last: true, items: ITEM.items }),
    ),
  ];
}

beforeAll(async () => {
  trial = await trialOf(subject, tries);
  console.log(`Execution: ${countOf(trial)}`);
});

describe('Execution, 4 states, 16 pairs', () => {
  it('tried: every door that writes an execution, and every statement that they have for it; a refusal is answered, not thrown', () => {
    expect(untried(trial)).toEqual([]);
    expect(faults(trial)).toEqual(['HOUSE:connector:CasUnexplained', 'HOUSE:db:Duplicate']);
  });

  it('moved: con:SM-ALL-01 con:NEG-EXEC con:EXEC-01 con:EXEC-03 con:EXEC-04 con:EXEC-05 by the doors the five pairs of the matrix and none of the others', () => {
    expect(moved(trial.opened)).toEqual(PAIRS);
    expect(trial.said.moves).toEqual(PAIRS);
    expect(unlisted(trial)).toEqual([]);
  });

  it('moved: con:SM-ALL-01 con:NEG-EXEC by the statements alone the same pairs, whatever a door judges before', () => {
    expect(moved(trial.replayed)).toEqual(trial.said.moves);
  });

  it('untouched: con:EXEC-06 con:XDEP-M a waiting execution is not completed by a result, and not claimed while it waits', () => {
    expect(trial.opened.some(({ from, door }) => from === 'waiting_dependency' && door === 'record-results')).toBe(true);
    const byClaims = ['claim-executions', 'record-results', 'admit-and-materialize', 'materialize-receipts'];
    expect(disturbed(trial, ['waiting_dependency']).filter(({ door }) => byClaims.includes(door))).toEqual([]);
    const leases = trial.replayed.filter(
      ({ statement, from }) => statement === 'update con_execution#claim' && from === 'waiting_dependency',
    );
    expect([leases.length > 0, leases.filter(({ touched }) => touched.length > 0)]).toEqual([true, []]);
  });

  it('untouched: con:SM-ALL-04 con:INV-27 by every door and statement once completed or quarantined', () => {
    expect(executionMachine.terminal).toEqual(['completed', 'quarantined']);
    expect(disturbed(trial, executionMachine.terminal)).toEqual([]);
  });

  it('born: con:SM-ALL-03 ready and in no other state', () => {
    expect([...trial.born]).toEqual(['ready']);
  });
});
