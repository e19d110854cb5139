import type { ExecutionId, LaneId } from '@connector/kernel/ids';
import type { RouteRef } from '@connector/connector/model/inbound/delivery';
import { claimLanes } from '@connector/connector/transitions/execution/claim-lanes.tx';
import { disposeGaps } from '@connector/connector/transitions/execution/dispose-gaps.tx';
import { recordResults } from '@connector/connector/transitions/execution/record-results.tx';
import {
  admitAndMaterialize,
  prepareDelivery,
  type PreparedDelivery,
} from '@connector/connector/transitions/inbound/admit-and-materialize.tx';
import type { Part } from '@connector/testing/explorer/schedule';
import type { ServedAccount } from '@connector/testing/fixtures/account';
import { delivery } from '@connector/testing/fixtures/delivery';
import { claimLane, laneOf, latestRoute, orderedItem, resultFor, strictRoute } from '@connector/testing/fixtures/ordered';
import { watchOf, type Group, type Site, type World } from './group';
import { halt } from './groups-inbound';

const RECORD = 'r1';
const GATE = 'con_serving_gate';
const STRICT = strictRoute();
const LATEST = latestRoute();

/** One lane of an account of its own, and what may happen in it. */
class LaneSite {
  readonly #site: Site;
  readonly #served: ServedAccount;
  readonly #route: RouteRef;
  readonly #lane: LaneId;

  private constructor(site: Site, served: ServedAccount, route: RouteRef) {
    this.#site = site;
    this.#served = served;
    this.#route = route;
    this.#lane = laneOf(served, RECORD, route);
  }

  /** With these positions there, of one delivery: a COMMIT less for each schedule. */
  static async with(site: Site, route: RouteRef, ...positions: readonly number[]): Promise<LaneSite> {
    const made = new LaneSite(site, await site.served(), route);
    await made.arrived(...positions);
    return made;
  }

  /** Its first position at work under a lease that is over at once, and the others behind it. */
  static async atWork(site: Site, route: RouteRef, ...positions: readonly number[]): Promise<readonly [LaneSite, Part]> {
    const made = new LaneSite(site, await site.served(), route);
    const execution = await made.arrived(...positions);
    await claimLane(site.schema.db, made.#served, made.#lane, 0);
    const receipt = await site.together(() => resultFor(site.schema, execution));
    return [made, { name: 'record', open: (db) => recordResults(db, made.#served.account, [receipt]) }];
  }

  /** The first position is missing before these, that was seen, and the deadline has passed. */
  static async gap(site: Site, gapThen: 'quarantine' | 'skip', ...positions: readonly number[]): Promise<LaneSite> {
    const made = await LaneSite.with(site, strictRoute({ gapMs: 0, gapThen }), ...positions);
    await claimLane(site.schema.db, made.#served, made.#lane);
    return made;
  }

  /** The execution of the first of these positions. */
  async arrived(...positions: readonly number[]): Promise<ExecutionId> {
    const prepared = this.#prepared(...positions);
    await admitAndMaterialize(this.#site.schema.db, this.#served, this.#route, [prepared]);
    return prepared.children?.items[0]?.executionId as ExecutionId;
  }

  admit(at: number): Part {
    const prepared = this.#prepared(at);
    return { name: 'admit', open: (db) => admitAndMaterialize(db, this.#served, this.#route, [prepared]) };
  }

  claim(claimant: string): Part {
    const claim = { claimant, leaseMs: 60_000, lanes: [this.#lane] };
    return { name: 'claim', open: (db) => claimLanes(db, this.#served, claim) };
  }

  dispose(): Part {
    return { name: 'dispose', open: (db) => disposeGaps(db, this.#served, [this.#lane]) };
  }

  halt(): Part {
    return halt(this.#served);
  }

  world(...parts: readonly Part[]): World {
    return { parts, watch: watchOf(this.#served) };
  }

  #prepared(...positions: readonly number[]): PreparedDelivery {
    const items = positions.map((at, ordinal) => orderedItem(this.#route, ordinal, { record: RECORD, at }));
    const key = `at ${positions.join()}`;
    return prepareDelivery(this.#served, this.#route, delivery(this.#served, key, key), { kind: 'items', items });
  }
}

const group = (name: string, arrange: Group['arrange']): Group => ({ name, meets: GATE, arrange });

export const ORDERING: readonly Group[] = [
  group('materialize | record, same lane', async (site) => {
    const [lane, record] = await LaneSite.atWork(site, STRICT, 1);
    return lane.world(lane.admit(2), record);
  }),
  group('materialize | record, latest lane', async (site) => {
    const [lane, record] = await LaneSite.atWork(site, LATEST, 5);
    return lane.world(lane.admit(4), record);
  }),
  group('claim | claim, same lane', async (site) => {
    const lane = await LaneSite.with(site, STRICT, 1, 2);
    return lane.world(lane.claim('c-1'), lane.claim('c-2'));
  }),
  group('claim | claim, latest lane', async (site) => {
    const lane = await LaneSite.with(site, LATEST, 1, 2);
    return lane.world(lane.claim('c-1'), lane.claim('c-2'));
  }),
  group('claim | claim, behind a gap', async (site) => {
    const lane = await LaneSite.with(site, STRICT, 2);
    return lane.world(lane.claim('c-1'), lane.claim('c-2'));
  }),
  group('admit | claim | claim, latest lane', async (site) => {
    const lane = await LaneSite.with(site, LATEST, 1);
    return lane.world(lane.admit(2), lane.claim('c-1'), lane.claim('c-2'));
  }),
  group('record | claim next, same lane', async (site) => {
    const [lane, record] = await LaneSite.atWork(site, STRICT, 1, 2);
    return lane.world(record, lane.claim('c-1'));
  }),
  group('record | claim again, same lane', async (site) => {
    const [lane, record] = await LaneSite.atWork(site, STRICT, 1);
    return lane.world(record, lane.claim('c-1'));
  }),
  group('claim lane | halt', async (site) => {
    const lane = await LaneSite.with(site, STRICT, 1);
    return lane.world(lane.claim('c-1'), lane.halt());
  }),
  group('dispose | claim', async (site) => {
    const lane = await LaneSite.gap(site, 'skip', 2);
    return lane.world(lane.dispose(), lane.claim('c-1'));
  }),
  group('dispose | claim, it has come', async (site) => {
    const lane = await LaneSite.gap(site, 'skip', 2);
    await lane.arrived(1);
    return lane.world(lane.dispose(), lane.claim('c-1'));
  }),
  group('dispose | admit, what is missing', async (site) => {
    const lane = await LaneSite.gap(site, 'quarantine', 2);
    return lane.world(lane.dispose(), lane.admit(1));
  }),
  group('admit | claim | dispose, what is missing', async (site) => {
    const lane = await LaneSite.gap(site, 'quarantine', 2);
    return lane.world(lane.admit(1), lane.claim('c-1'), lane.dispose());
  }),
  group('dispose | dispose', async (site) => {
    const lane = await LaneSite.gap(site, 'quarantine', 2);
    return lane.world(lane.dispose(), lane.dispose());
  }),
  group('dispose | halt', async (site) => {
    const lane = await LaneSite.gap(site, 'skip', 2);
    return lane.world(lane.dispose(), lane.halt());
  }),
];
