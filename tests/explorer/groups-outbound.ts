import { createEffectsOfFeed } from '@connector/connector/transitions/outbound/create-effects.tx';
import { settlePermits } from '@connector/connector/transitions/outbound/settle-permits.tx';
import type { Part } from '@connector/testing/explorer/schedule';
import { CONFIRMED, settlement, UNCERTAIN } from '@connector/testing/fixtures/outbound';
import { watchOf, type Group } from './group';
import { halt } from './groups-inbound';
import { Outbound } from './outbound-world';

const GATE = 'con_serving_gate';

export const OUTBOUND: readonly Group[] = [
  {
    name: 'create effects | create effects',
    meets: GATE,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      await world.author();
      const create = (): Part => ({ name: 'create effects', open: (db) => createEffectsOfFeed(db, world.served, 200) });
      return { parts: [create(), create()], watch: world.watch };
    },
  },
  {
    name: 'acquire | halt',
    meets: GATE,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const effect = await world.prepared();
      return { parts: [world.acquire([effect]), halt(world.served)], watch: world.watch };
    },
  },
  {
    name: 'acquire | acquire, same effect',
    meets: GATE,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const effect = await world.prepared();
      return { parts: [world.acquire([effect]), world.acquire([effect])], watch: world.watch };
    },
  },
  {
    name: 'acquire | acquire, one slot',
    meets: 'con_egress_holder',
    arrange: async (site) => {
      const accounts = await site.two();
      const one = await Outbound.open(site, accounts[0]);
      const two = await Outbound.open(site, accounts[1], one.holder);
      const [first, second] = [await one.prepared(), await two.prepared()];
      const watch = { ...one.watch, ...watchOf(...accounts), credentials: [one.credential, two.credential] };
      return { parts: [one.acquire([first], 1), two.acquire([second], 1)], watch };
    },
  },
  {
    name: 'acquire | register',
    meets: 'con_egress_holder',
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const effect = await world.prepared();
      return { parts: [world.acquire([effect]), world.register()], watch: world.watch };
    },
  },
  {
    name: 'register | register',
    meets: 'con_egress_holder',
    arrange: async (site) => {
      const world = await Outbound.open(site);
      return { parts: [world.register(), world.register()], watch: world.watch };
    },
  },
  {
    name: 'start-sending | start-sending',
    meets: 'con_credential_gate',
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const permits = await world.granted();
      return { parts: [world.send(permits), world.send(permits)], watch: world.watch };
    },
  },
  {
    name: 'settle | settle',
    meets: GATE,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const permits = await world.granted();
      const token = await world.sending(permits);
      return { parts: [world.settle(token, permits, CONFIRMED), world.settle(token, permits, UNCERTAIN)], watch: world.watch };
    },
  },
  {
    name: 'abandon | settle',
    meets: GATE,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const permits = await world.granted();
      const token = await world.sending(permits);
      await world.ended();
      return { parts: [world.abandon(permits), world.settle(token, permits, CONFIRMED)], watch: world.watch };
    },
  },
  {
    name: 'abandon | start-sending',
    meets: 'con_credential_gate',
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const permits = await world.granted();
      await world.ended();
      return { parts: [world.abandon(permits), world.send(permits)], watch: world.watch };
    },
  },
  {
    name: 'settle | conclude-halt',
    meets: GATE,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const permits = await world.granted();
      const token = await world.sending(permits);
      return { parts: [world.settle(token, permits, CONFIRMED), await world.conclude()], watch: world.watch };
    },
  },
  {
    name: 'finalize | finalize, one remote record',
    meets: 'con_account_work',
    arrange: async (site) => {
      const world = await Outbound.open(site);
      await world.author();
      const permits = await world.granted();
      const token = await world.sending(permits);
      await settlePermits(site.schema.db, settlement(world.served, world.holder, token, permits, CONFIRMED));
      return { parts: permits.map(({ effectId }) => world.finalize(effectId)), watch: world.watch };
    },
  },
  {
    name: 'abandon | start-sending | halt',
    meets: 'con_credential_gate',
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const permits = await world.granted();
      await world.ended();
      return { parts: [world.abandon(permits), world.send(permits), halt(world.served)], watch: world.watch };
    },
  },
];
