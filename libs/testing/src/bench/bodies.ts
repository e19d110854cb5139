import type { ExecutionId } from '@connector/kernel/ids';
import { claimCandidates } from '@connector/connector/reads/execution/claim-candidates';
import { claimExecutions } from '@connector/connector/transitions/execution/claim-executions.tx';
import { recordResults } from '@connector/connector/transitions/execution/record-results.tx';
import { admitAndMaterialize, prepareDelivery } from '@connector/connector/transitions/inbound/admit-and-materialize.tx';
import { mainSchema, type TestSchema } from '../database';
import { serveAccounts, type ServedAccount } from '../fixtures/account';
import { delivery, item, ROUTE } from '../fixtures/delivery';
import { receiptFor } from '../fixtures/execution';
import { figureLine, ratioLine, type Line } from './line';
import { bothSides, rounds, timed } from './rounds';
import { quantile, ratiosOf, spreadOf } from './statistics';

const LARGE = 1024 * 1024 - 64;
const SMALL = 1024 - 64;
/** Of a side in a round; five rounds count. */
const ITEMS = 200;
const LEASE_MS = 600_000;
/** Less than a fifth. */
const TARGET = { must: 'at most', than: 1.2 } as const;

interface Side {
  readonly schema: TestSchema;
  readonly served: ServedAccount;
  readonly bytes: number;
}
interface Spent {
  readonly claims: readonly (readonly [large: number, small: number])[];
  readonly results: readonly (readonly [large: number, small: number])[];
}

/** Items of about 1 MiB and of about 1 KiB in one database, one claim and one result at a time, each of one side and then of the other. */
export async function benchBodies(say: (line: string) => void): Promise<readonly Line[]> {
  const schema = await mainSchema();
  try {
    const [large, small] = (await serveAccounts(schema, ['large/acme', 'small/acme'])) as [ServedAccount, ServedAccount];
    const sides = [
      { schema, served: large, bytes: LARGE },
      { schema, served: small, bytes: SMALL },
    ] as const;
    const spent = await rounds(0, async (largeFirst, at) => {
      say(`${ITEMS} items of 1 MiB and ${ITEMS} of 1 KiB, round ${at}`);
      return oneRound(sides, largeFirst, at);
    });
    return [
      ...linesOf(
        'claim',
        spent.map(({ claims }) => claims),
      ),
      ...linesOf(
        'result recording',
        spent.map(({ results }) => results),
      ),
    ];
  } finally {
    await schema.close();
  }
}

function linesOf(what: string, rounded: readonly Spent['claims'][]): readonly Line[] {
  const p99 = rounded.map(
    (pairs) =>
      [0, 1].map((side) =>
        quantile(
          pairs.map((pair) => pair[side as 0 | 1]),
          0.99,
        ),
      ) as [number, number],
  );
  const all = rounded.flat();
  const figure = (side: 0 | 1) =>
    quantile(
      all.map((pair) => pair[side]),
      0.99,
    );
  const note = `${all.length} of each, one by one, in turn; the ratio by round of ${ITEMS}`;
  return [
    ratioLine('f', `${what} p99, items of 1 MiB against 1 KiB`, spreadOf(ratiosOf(p99)), TARGET, note),
    figureLine('f', '  1 MiB', spreadOf([figure(0)]), 'ms', `p99 of ${all.length}`),
    figureLine('f', '  1 KiB', spreadOf([figure(1)]), 'ms', `p99 of ${all.length}`),
  ];
}

async function oneRound(sides: readonly [Side, Side], largeFirst: boolean, at: number): Promise<Spent> {
  for (const side of sides) await admit(side, at);
  const claimed: [ExecutionId[], ExecutionId[]] = [[], []];
  const claims = await inTurn(largeFirst, (side) => async () => void claimed[side].push(await claimOne(sides[side])));
  const receipts = await Promise.all(
    ([0, 1] as const).map(async (side) => {
      const made = [];
      for (const id of claimed[side]) made.push(await receiptFor(sides[side].schema, id));
      return made.values();
    }),
  );
  const results = await inTurn(largeFirst, (side) => {
    const receipt = receipts[side]?.next().value;
    return async () => {
      if (receipt === undefined) throw new Error('fewer were claimed than are to be recorded');
      const [answer] = await recordResults(sides[side].schema.db, sides[side].served.account, [receipt]);
      if (answer?.kind !== 'recorded') throw new Error(`a result was not recorded: ${answer?.kind ?? 'no answer'}`);
    };
  });
  return { claims, results };
}

/** So many times for each side, and whichever goes first changes from time to time. */
async function inTurn(largeFirst: boolean, act: (side: 0 | 1) => () => Promise<void>): Promise<Spent['claims']> {
  const pairs: (readonly [number, number])[] = [];
  for (let time = 0; time < ITEMS; time += 1) {
    const [large, small] = [act(0), act(1)];
    pairs.push(
      await bothSides(
        (time % 2 === 0) === largeFirst,
        () => timed(large),
        () => timed(small),
      ),
    );
  }
  return pairs;
}

/** One delivery of one item each: its body, its component and its input are all of this size. */
async function admit({ schema, served, bytes }: Side, at: number): Promise<void> {
  for (let index = 0; index < ITEMS; index += 1) {
    const key = `r${at}-${index}`;
    const content = { key, text: 'x'.repeat(bytes) };
    const items = [item(0, key, content)];
    const prepared = prepareDelivery(served, ROUTE, delivery(served, key, JSON.stringify(content)), { kind: 'items', items });
    const [answer] = await admitAndMaterialize(schema.db, served, ROUTE, [prepared]);
    if (answer?.kind !== 'admitted') throw new Error(`a delivery was not admitted: ${answer?.kind ?? 'no answer'}`);
  }
}

async function claimOne({ schema, served }: Side): Promise<ExecutionId> {
  const { executions } = await claimCandidates(schema.db, served, 1);
  const [answer] = await claimExecutions(schema.db, served, { claimant: 'bench', leaseMs: LEASE_MS, executions });
  if (answer?.kind !== 'claimed') throw new Error(`not claimed: ${answer?.kind ?? 'nothing was due'}`);
  return answer.executionId;
}
