import type { LaneId } from '@connector/kernel/ids';
import type { RouteRef } from '@connector/connector/model/inbound/delivery';
import { claimLanes, type ClaimLane } from '@connector/connector/transitions/execution/claim-lanes.tx';
import { disposeGaps } from '@connector/connector/transitions/execution/dispose-gaps.tx';
import { ANSWER_SOON } from '@connector/platform/db/retrying';
import type { ServedAccount } from '../../fixtures/account';
import { arrive, claimLane, laneOf, latestRoute, strictRoute } from '../../fixtures/ordered';
import { act, oneAccount, type Act, type DoorCase, type Site } from './door-case';

interface Arranged {
  readonly served: ServedAccount;
  readonly lanes: readonly LaneId[];
}

/** A lane for each record, with what stands at these positions in it. */
async function lanesWith({ main }: Site, route: RouteRef, records: readonly string[], positions: readonly number[]): Promise<Arranged> {
  const served = await oneAccount(main);
  for (const record of records) {
    for (const at of positions) await arrive(main.db, served, route, [{ record, at }], `${record} at ${at}`);
  }
  return { served, lanes: records.map((record) => laneOf(served, record, route)) };
}

/** A claim by the claimant; of an answer that its own lost COMMIT made `not-due` only the rows can say what it was. */
function claiming({ served, lanes }: Arranged, done: ClaimLane['kind']): Act {
  const claim = { claimant: 'c-1', leaseMs: 60_000, lanes };
  return act(
    ANSWER_SOON,
    (db) => claimLanes(db, served, claim),
    (answer) => (answer.kind === done || answer.kind === 'not-due' ? { kind: 'until its time' } : answer),
  );
}

const claimCases: readonly DoorCase[] = [
  {
    door: 'claim-lanes',
    way: 'the exact successors of two strict lanes',
    // An execution that its own lost claim leased is submitted when the lease is over, as the same command (decisions 13.7).
    arrange: async (site) => claiming(await lanesWith(site, strictRoute(), ['one', 'two'], [1, 2]), 'claimed'),
  },
  {
    door: 'claim-lanes',
    way: 'the greatest position, the others superseded',
    arrange: async (site) => claiming(await lanesWith(site, latestRoute(), ['one'], [1, 2, 3]), 'claimed'),
  },
  {
    door: 'claim-lanes',
    way: 'a gap that is seen for the first time',
    arrange: async (site) => claiming(await lanesWith(site, strictRoute(), ['one'], [2]), 'gap'),
  },
  {
    door: 'claim-lanes',
    way: 'the position that was missing has come',
    arrange: async (site) => {
      const route = strictRoute();
      const arranged = await lanesWith(site, route, ['one'], [2]);
      for (const lane of arranged.lanes) await claimLane(site.main.db, arranged.served, lane);
      await arrive(site.main.db, arranged.served, route, [{ record: 'one', at: 1 }], 'late');
      return claiming(arranged, 'claimed');
    },
  },
];

/** What a second run finds after each disposition; the claimant does nothing with either but say it. */
const FOUND_DONE = { quarantine: ['quarantined', 'held'], skip: ['skipped', 'no-gap'] } as const;

const disposeCases = Object.entries(FOUND_DONE).map(([gapThen, [done, found]]): DoorCase => ({
  door: 'dispose-gaps',
  way: gapThen,
  arrange: async (site) => {
    const route = strictRoute({ gapMs: 0, gapThen: gapThen === 'skip' ? 'skip' : 'quarantine' });
    const { served, lanes } = await lanesWith(site, route, ['one'], [2, 3]);
    for (const lane of lanes) await claimLane(site.main.db, served, lane);
    return act(
      ANSWER_SOON,
      (db) => disposeGaps(db, served, lanes),
      (answer) => (answer.kind === done || answer.kind === found ? { kind: done } : answer),
    );
  },
}));

/** What the claimant does in lanes. */
export const ORDERING_CASES: readonly DoorCase[] = [...claimCases, ...disposeCases];
