import { ExecutionId, type ReceiptId } from '@connector/kernel/ids';
import { executionMachine } from '@connector/connector/model/execution/execution';
import { claimExecutions } from '@connector/connector/transitions/execution/claim-executions.tx';
import { recordResults } from '@connector/connector/transitions/execution/record-results.tx';
import { admitAndMaterialize, prepareDelivery } from '@connector/connector/transitions/inbound/admit-and-materialize.tx';
import { materializeReceipt } from '@connector/connector/transitions/inbound/materialize-receipts.tx';
import type { TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { delivery, item, ROUTE } from '@connector/testing/fixtures/delivery';
import { receiptFor } from '@connector/testing/fixtures/execution';
import type { Subject } from './moves';
import type { Tap } from './tap';
import { countOf, disturbed, faults, moved, trialOf, unlisted, untried, type Trial, type Try } from './trial';

const subject: Subject = { machine: executionMachine, table: 'con_execution', column: 'state' };
const ITEM = { kind: 'items', items: [item(0, 'a')] } as const;
let trial: Trial;

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
  return [
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
    expect(faults(trial)).toEqual(['HOUSE:db:Duplicate']);
  });

  it('moved: con:SM-ALL-01 con:NEG-EXEC by the doors ready > completed and none of the others', () => {
    expect(moved(trial.opened)).toEqual(['ready>completed']);
    expect(trial.said.moves).toEqual(['ready>completed']);
    expect(unlisted(trial)).toEqual([]);
  });

  it('moved: con:SM-ALL-01 con:NEG-EXEC by the statements alone the same pair, whatever a door judges before', () => {
    expect(moved(trial.replayed)).toEqual(trial.said.moves);
  });

  it('untouched: con:EXEC-06 a waiting execution is not completed by a result, and not claimed either', () => {
    expect(trial.opened.some(({ from, door }) => from === 'waiting_dependency' && door === 'record-results')).toBe(true);
    expect(disturbed(trial, ['waiting_dependency'])).toEqual([]);
  });

  it('untouched: con:SM-ALL-04 con:INV-27 by every door and statement once completed or quarantined', () => {
    expect(executionMachine.terminal).toEqual(['completed', 'quarantined']);
    expect(disturbed(trial, executionMachine.terminal)).toEqual([]);
  });

  it('born: con:SM-ALL-03 ready and in no other state', () => {
    expect([...trial.born]).toEqual(['ready']);
  });
});
