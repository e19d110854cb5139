import type { Group } from './group';
import { BARRIERS } from './groups-barriers';
import { BINDING } from './groups-binding';
import { CONVERSION } from './groups-conversion';
import { INBOUND } from './groups-inbound';
import { LIFECYCLE } from './groups-lifecycle';
import { MEMBERSHIP } from './groups-membership';
import { ORDERING } from './groups-ordering';
import { OUTBOUND } from './groups-outbound';
import { PUBLICATION } from './groups-publication';
import { PACKS } from './groups-packs';
import { REGISTRY } from './groups-registry';
import { REVOCATION } from './groups-revocation';
import { RUNTIME } from './groups-runtime';
import { SECURITY } from './groups-security';
import { SERVING } from './groups-serving';
import { VERIFICATION } from './groups-verification';

export const GROUPS: readonly Group[] = [
  ...INBOUND,
  ...ORDERING,
  ...RUNTIME,
  ...OUTBOUND,
  ...REVOCATION,
  ...SERVING,
  ...SECURITY,
  ...MEMBERSHIP,
  ...VERIFICATION,
  ...CONVERSION,
  ...PUBLICATION,
  ...LIFECYCLE,
  ...BINDING,
  ...REGISTRY,
  ...PACKS,
  ...BARRIERS,
];

export function groupOf(name: string): Group {
  const found = GROUPS.find((group) => group.name === name);
  if (found === undefined) throw new RangeError(`no group is called ${name}`);
  return found;
}
