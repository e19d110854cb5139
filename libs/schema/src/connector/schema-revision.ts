import { born, digest, flag, int, name } from '@connector/kernel/column';
import { table } from '@connector/kernel/table';

/** Revision 0 stands for the schema itself: whoever changes it holds that row, and services look at the others before they serve. */
export const schemaRevisionColumns = () => ({
  revision: int(),
  name: name(64),
  breaking: flag(),
  /** Of the statements that were run: a revision is frozen once somebody applied it. */
  checksum: digest(),
  applied_at: born(),
});

/** con:INV-22: which revisions of the schema the main database has. */
export const conSchemaRevision = table('con_schema_revision', {
  about: 'The revisions of the main database that were applied.',
  rank: null,
  columns: schemaRevisionColumns(),
  primary: ['revision'],
});
