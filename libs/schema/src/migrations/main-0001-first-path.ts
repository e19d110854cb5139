import type { Migration } from './migration';
import { catalog } from './main-0001-first-path/catalog';
import { control } from './main-0001-first-path/control';
import { execution } from './main-0001-first-path/execution';
import { inbound } from './main-0001-first-path/inbound';
import { outbound } from './main-0001-first-path/outbound';
import { packs } from './main-0001-first-path/packs';
import { revisions } from './main-0001-first-path/revisions';
import { runtime } from './main-0001-first-path/runtime';
import { serving } from './main-0001-first-path/serving';

/** The singleton is born here: whoever changes the set of gates must find a row to lock (decisions 3.1). */
const SERVICE_ROW = `INSERT INTO con_service (service_key, revision)
SELECT 'connector', 0 FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM con_service WHERE service_key = 'connector')`;

export const mainFirstPath: Migration = {
  revision: 1,
  name: 'first-path',
  breaking: true,
  statements: [...revisions, ...serving, ...inbound, ...execution, ...outbound, ...runtime, ...packs, ...catalog, ...control, SERVICE_ROW],
};
