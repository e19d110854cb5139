import type { Migration } from './migration';
import { journal } from './journal-0001-first-path/journal';
import { revisions } from './journal-0001-first-path/revisions';

export const journalFirstPath: Migration = { revision: 1, name: 'first-path', breaking: true, statements: [...revisions, ...journal] };
