import { ANSWER_SOON } from '@connector/platform/db/retrying';
import { BarrierSite, PackBarrierSite } from '../../fixtures/barrier-site';
import { act, type DoorCase } from './door-case';

/** A receipt is bytes that name what was minted; the row shows the same. */
const held = ({ kind }: { readonly kind: string }): string => kind;

/** An activation that holds the authors of both owners off, and lets them go on. */
export const BARRIER_CASES: readonly DoorCase[] = [
  {
    door: 'acquire-barrier',
    arrange: async ({ main }) => {
      const site = await BarrierSite.open(main);
      return act(ANSWER_SOON, (db) => site.acquire(1, {}, db), held);
    },
  },
  {
    door: 'acquire-barrier',
    way: 'a successor',
    arrange: async ({ main }) => {
      const site = await BarrierSite.open(main);
      await site.acquire(1);
      return act(ANSWER_SOON, (db) => site.acquire(2, {}, db), held);
    },
  },
  {
    door: 'release-barrier',
    arrange: async ({ main }) => {
      const site = await BarrierSite.open(main);
      await site.acquire(1);
      return act(ANSWER_SOON, (db) => site.release(1, {}, db));
    },
  },
  {
    door: 'acquire-pack-barrier',
    arrange: async ({ main }) => {
      const site = await PackBarrierSite.open(main);
      return act(ANSWER_SOON, (db) => site.acquire(1, {}, db), held);
    },
  },
  {
    door: 'release-pack-barrier',
    arrange: async ({ main }) => {
      const site = await PackBarrierSite.open(main);
      await site.acquire(1);
      return act(ANSWER_SOON, (db) => site.release(1, {}, db));
    },
  },
];
