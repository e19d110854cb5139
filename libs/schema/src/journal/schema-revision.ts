import { table } from '@connector/kernel/table';
import { schemaRevisionColumns } from '../connector/schema-revision';

/** The journal is restored apart from the main database, so it says itself which revisions it has. */
export const jrnSchemaRevision = table('jrn_schema_revision', {
  about: 'The revisions of the journal database that were applied.',
  rank: null,
  columns: schemaRevisionColumns(),
  primary: ['revision'],
});
