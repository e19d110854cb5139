import type { Group } from './group';
import { INBOUND } from './groups-inbound';
import { ORDERING } from './groups-ordering';
import { OUTBOUND } from './groups-outbound';
import { REVOCATION } from './groups-revocation';
import { RUNTIME } from './groups-runtime';
import { SERVING } from './groups-serving';

export const GROUPS: readonly Group[] = [...INBOUND, ...ORDERING, ...RUNTIME, ...OUTBOUND, ...REVOCATION, ...SERVING];

export function groupOf(name: string): Group {
  const found = GROUPS.find((group) => group.name === name);
  if (found === undefined) throw new RangeError(`no group is called ${name}`);
  return found;
}
