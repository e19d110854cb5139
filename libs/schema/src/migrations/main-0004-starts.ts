import type { Migration } from './migration';
import { runtime } from './main-0004-starts/runtime';

export const mainStarts: Migration = { revision: 4, name: 'starts', breaking: false, statements: [...runtime] };
