import { EVERY_DOOR } from '../../system/crash/points';
import { AUTHORING_CASES } from './authoring';
import { BARRIER_CASES } from './barriers';
import { BINDING_CASES } from './binding';
import { CONVERSION_CASES } from './conversion';
import { CREDENTIAL_CASES } from './credentials';
import type { DoorCase } from './door-case';
import { INBOUND_CASES } from './inbound';
import { ORDERING_CASES } from './ordering';
import { LIFECYCLE_CASES } from './lifecycle';
import { OUTBOUND_CASES } from './outbound';
import { PUBLICATION_CASES } from './publication';
import { SECURITY_CASES } from './security';
import { REGISTRY_CASES } from './registry';
import { SERVING_CASES } from './serving';

export const CASES: readonly DoorCase[] = [
  ...INBOUND_CASES,
  ...ORDERING_CASES,
  ...OUTBOUND_CASES,
  ...SERVING_CASES,
  ...AUTHORING_CASES,
  ...CREDENTIAL_CASES,
  ...SECURITY_CASES,
  ...PUBLICATION_CASES,
  ...LIFECYCLE_CASES,
  ...BINDING_CASES,
  ...BARRIER_CASES,
  ...REGISTRY_CASES,
  ...CONVERSION_CASES,
];

/** Doors of the tables that no case opens, and cases of doors that no table has. */
export function unmatched(doors: readonly string[] = EVERY_DOOR.map(({ name }) => name), cases = CASES): readonly string[] {
  const opened = new Set(cases.map(({ door }) => door));
  const without = doors.filter((door) => !opened.has(door)).map((door) => `${door} has no case`);
  return [...without, ...[...opened].filter((door) => !doors.includes(door)).map((door) => `no table has the door ${door}`)];
}
