import { readRows } from '@connector/kernel/statement';
import type { Instant } from '@connector/kernel/brand';
import type { Revision } from '@connector/kernel/revisions';
import type { Db } from '@connector/platform/db/db';
import { conSchemaRevision } from '@connector/schema/connector/schema-revision';
import { jrnSchemaRevision } from '@connector/schema/journal/schema-revision';

export interface AppliedRevision extends Revision {
  readonly appliedAt: Instant;
}

const COLUMNS = ['revision', 'name', 'breaking', 'applied_at'] as const;
const WHICH = 'WHERE revision > 0 ORDER BY revision LIMIT 1000';
const MAIN = readRows(conSchemaRevision, COLUMNS, WHICH);
const JOURNAL = readRows(jrnSchemaRevision, COLUMNS, WHICH);

type Row = ReturnType<typeof MAIN.decode>;
const applied = ({ revision, name, breaking, applied_at: appliedAt }: Row): AppliedRevision => ({ revision, name, breaking, appliedAt });

/** The revisions of the main database in their order, at most 1,000. */
export async function readRevisions(db: Db): Promise<readonly AppliedRevision[]> {
  return (await db.read(MAIN, {})).map(applied);
}

/** The revisions of the journal database, over a `Db` of its own. */
export async function readJournalRevisions(journal: Db): Promise<readonly AppliedRevision[]> {
  return (await journal.read(JOURNAL, {})).map(applied);
}
