import { OperationId } from '@connector/kernel/ids';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { haltGate } from '@connector/connector/transitions/serving/halt-gate.tx';
import type { Db } from '@connector/platform/db/db';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { acceptedCommand, commitOf, outboundOf } from '@connector/testing/fixtures/application';
import { Signals, somebodyWaitsAt } from '@connector/testing/signals';
import { readRecords } from '../reads/records';
import { commitApplication, type ApplicationCommit } from './commit-application.tx';

let schema: TestSchema;
let north: ServedAccount;
let south: ServedAccount;
let desk: ServedAccount;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [north, south, desk] = (await serveAccounts(schema, ['north/acme', 'south/acme', 'desk/acme'])) as [
    ServedAccount,
    ServedAccount,
    ServedAccount,
  ];
});
afterAll(() => schema.close());

const GATE = 'lock con_serving_gate';
const feed = async (): Promise<readonly number[]> =>
  (await schema.sql('SELECT feed_seq FROM run_outbound_command ORDER BY feed_seq')).map((row) => Number(row['feed_seq']));
const results = async (): Promise<number> => Number((await schema.sql('SELECT COUNT(*) AS n FROM run_application_result'))[0]?.['n']);

/** `first` stands before its COMMIT with its locks until `second` waits for one of them: both answers. */
async function inOrder<A, B>(door: string, step: string, first: (db: Db) => Promise<A>, second: (db: Db) => Promise<B>): Promise<[A, B]> {
  const signals = new Signals();
  const stop = signals.stopAt(`${door}/commit`);
  const one = first(schema.another(signals.hook));
  await stop.reached;
  const two = second(schema.another());
  await somebodyWaitsAt(schema, step);
  stop.release();
  return Promise.all([one, two]);
}

async function sending(from: ServedAccount, slot = 'main'): Promise<ApplicationCommit> {
  const command = await acceptedCommand(schema, from);
  return commitOf(from, command, { commands: [outboundOf(command, desk, { slot })] }, [desk]);
}
const author = (commit: ApplicationCommit) => (db: Db) => commitApplication(db, commit);

describe('commit-application: races', () => {
  it('committed: con:RTC-O con:OAU-O of two runs of one command, in both orders, the first result is the answer of both', async () => {
    for (const flipped of [false, true]) {
      const commit = await sending(north);
      const other = commitOf(north, commit, { outcome: 'noop' });
      const [first, second] = flipped ? [other, commit] : [commit, other];
      const [one, two] = await inOrder('commit-application', GATE, author(first), author(second));
      expect(one).toMatchObject({ kind: 'committed', outcome: first.outcome, resultDigest: first.result.resultDigest });
      expect(two).toEqual(one);
    }
    expect(await results()).toBe(2);
    expect(await feed()).toEqual([1]);
  });

  it('committed: two commands of two accounts to one destination, in both orders, take places one after the other', async () => {
    for (const order of [
      [north, south],
      [south, north],
    ] as const) {
      const [first, second] = [await sending(order[0]), await sending(order[1])];
      const answers = await inOrder('commit-application', GATE, author(first), author(second));
      expect(answers.map(({ kind }) => kind)).toEqual(['committed', 'committed']);
    }
    expect(await feed()).toEqual([1, 2, 3, 4]);
  });

  it('committed: feed_seq has no gap and no double under forty concurrent commits of two accounts, some of them twice', async () => {
    const commits = await Promise.all(Array.from({ length: 20 }, (_, index) => sending(index % 2 === 0 ? north : south)));
    const [one, two] = [schema.another(), schema.another()];
    const runs = commits.flatMap((commit) => [one, two].map((db) => retrying(ANSWER_SOON, () => commitApplication(db, commit))));
    expect((await Promise.all(runs)).map(({ kind }) => kind)).toEqual(runs.map(() => 'committed'));
    expect(await feed()).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(await schema.sql('SELECT next_seq FROM run_feed_head')).toEqual([{ next_seq: '21' }]);
  });

  it('records-moved: of two commands of two accounts that change one record, in both orders, the second has to look again', async () => {
    const key = { collection: 'thing', key: 'shared' };
    for (const order of [
      [north, south],
      [south, north],
    ] as const) {
      const seen = await readRecords(schema.db, [key]);
      const changing = async (one: ServedAccount): Promise<ApplicationCommit> =>
        commitOf(one, await acceptedCommand(schema, one), { records: seen, changes: [{ ...key, value: one.account }] });
      const [first, second] = [await changing(order[0]), await changing(order[1])];
      const waits = seen[0]?.version === null ? 'insert run_record' : 'lock run_record';
      const answers = await inOrder('commit-application', waits, author(first), author(second));
      expect(answers.map(({ kind }) => kind)).toEqual(['committed', 'records-moved']);
      expect(await readRecords(schema.db, [key])).toMatchObject([{ value: order[0].account }]);
    }
  });

  it.each(['north/acme', 'desk/acme'])(
    'not-serving: con:OPEN-43 a halt of %s that commits first stops the authoring, and no result is recorded',
    async (name) => {
      const commit = await sending(north);
      const halted = name === north.account ? north : desk;
      const [halt, answer] = await inOrder('halt-gate', GATE, (db) => haltGate(db, move(halted)), author(commit));
      expect([halt.kind, answer]).toEqual(['halting', { kind: 'not-serving', mode: 'halting_v2' }]);
      expect(await results()).toBe(0);
      expect(await feed()).toEqual([]);
    },
  );

  it.each(['north/acme', 'desk/acme'])('committed: a halt of %s that comes second waits, and finds the work whole', async (name) => {
    const commit = await sending(north);
    const halted = name === north.account ? north : desk;
    const [answer, halt] = await inOrder('commit-application', GATE, author(commit), (db) => haltGate(db, move(halted)));
    expect([answer.kind, halt.kind]).toEqual(['committed', 'halting']);
    expect(await results()).toBe(1);
    expect(await feed()).toEqual([1]);
  });
});

function move(served: ServedAccount) {
  return { account: served.account, expectedFence: served.fence, operationId: OperationId.mint(), by: 'test', reason: 'race' };
}
