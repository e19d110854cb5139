import { revokeCredential } from '@connector/connector/transitions/serving/revoke-credential.tx';
import { reenableCredential } from '@connector/connector/transitions/serving/reenable-credential.tx';
import type { Part } from '@connector/testing/explorer/schedule';
import { decided } from '@connector/testing/fixtures/credential';
import type { Group, Site } from './group';
import { Outbound } from './outbound-world';

async function revoke(site: Site, { served, credential }: Outbound): Promise<Part> {
  const move = await decided(site.schema, served.account, credential, 'revoke');
  return { name: 'revoke', open: (db) => revokeCredential(db, move) };
}

/** The gate is revoked by its own door before. */
async function reenable(site: Site, world: Outbound): Promise<Part> {
  await (await revoke(site, world)).open(site.schema.db);
  const move = await decided(site.schema, world.served.account, world.credential, 'reenable');
  return { name: 'reenable', open: (db) => reenableCredential(db, move) };
}

const CGATE = 'con_credential_gate';

export const REVOCATION: readonly Group[] = [
  {
    name: 'acquire | revoke',
    meets: CGATE,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const effect = await world.prepared();
      return { parts: [world.acquire([effect]), await revoke(site, world)], watch: world.watch };
    },
  },
  {
    name: 'start-sending | revoke',
    meets: CGATE,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const permits = await world.granted();
      return { parts: [world.send(permits), await revoke(site, world)], watch: world.watch };
    },
  },
  {
    name: 'revoke | revoke, one decision',
    meets: CGATE,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const once = await revoke(site, world);
      return { parts: [once, once], watch: world.watch };
    },
  },
  {
    name: 'acquire | reenable',
    meets: CGATE,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const effect = await world.prepared();
      return { parts: [world.acquire([effect]), await reenable(site, world)], watch: world.watch };
    },
  },
  {
    name: 'start-sending | reenable',
    meets: CGATE,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const permits = await world.granted();
      return { parts: [world.send(permits), await reenable(site, world)], watch: world.watch };
    },
  },
  {
    name: 'acquire | revoke | start-sending',
    meets: CGATE,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const permits = await world.granted();
      const effect = await world.prepared();
      return { parts: [world.acquire([effect]), await revoke(site, world), world.send(permits)], watch: world.watch };
    },
  },
];
