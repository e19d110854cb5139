import type { Migration } from './migration';
import { inbound } from './main-0003-conflicts-and-starts/inbound';
import { runtime } from './main-0003-conflicts-and-starts/runtime';

export const mainConflictsAndStarts: Migration = {
  revision: 3,
  name: 'conflicts-and-starts',
  breaking: false,
  statements: [...inbound, ...runtime],
};
