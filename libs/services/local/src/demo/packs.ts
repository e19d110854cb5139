import { join } from 'node:path';
import { readPack } from '@connector/packs/authoring/pack-source';
import { DefectFault } from '@connector/kernel/faults';
import type { Json } from '@connector/kernel/jcs';
import type { KeptPack } from '@connector/services/kept/src/kept-folder';

/** The packs that ship, as their authors wrote them. */
export const SHIPPED_PACKS = ['larkspur-crm', 'tern-desk', 'github'] as const;
export type ShippedPack = (typeof SHIPPED_PACKS)[number];

const folderOf = (name: ShippedPack): string => join(__dirname, '..', '..', '..', '..', 'shipped-packs', name);

export const packOf = (name: ShippedPack): Json => readPack(folderOf(name)).pack;

/** The bytes of a recorded delivery. */
export function deliveryOf(name: ShippedPack, fixture: string): Buffer {
  const found = readPack(folderOf(name)).deliveries.find((one) => one.name === fixture);
  if (found === undefined) throw new DefectFault('HOUSE:local:NoSuchFixture', `${name} has no fixture ${fixture}`);
  return found.body;
}

/** The hosts that the callout profiles of the packs that ship and of the kept ones call, as the egress proxy names them. */
export function providerHosts(kept: readonly KeptPack[]): readonly string[] {
  const profiles = kept.flatMap(({ built }) => built.definitions.filter(({ kind }) => kind === 'callout-profile'));
  const bases = [...SHIPPED_PACKS.map(packOf), ...profiles.map(({ definition }) => definition)].flatMap((one) => textsUnder(one, 'base'));
  return [...new Set(bases.map((base) => new URL(base).host))];
}

function textsUnder(value: Json, name: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, held]) => (key === name && typeof held === 'string' ? [held] : textsUnder(held, name)));
}
