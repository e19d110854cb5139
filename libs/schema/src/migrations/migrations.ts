import type { DatabaseKind } from '@connector/kernel/revisions';
import { revisions as journalRevisions } from './journal-0001-first-path/revisions';
import { journalFirstPath } from './journal-0001-first-path';
import { revisions as mainRevisions } from './main-0001-first-path/revisions';
import { mainFirstPath } from './main-0001-first-path';
import { mainOrderAndRevocation } from './main-0002-order-and-revocation';
import { mainConflictsAndStarts } from './main-0003-conflicts-and-starts';
import { mainStarts } from './main-0004-starts';
import { mainAppAuthority } from './main-0005-app-authority';
import { mainPublicationBarriers } from './main-0006-publication-barriers';
import { mainConversion } from './main-0007-conversion';
import { mainPackAudit } from './main-0008-pack-audit';
import type { Migration } from './migration';

/** How one database comes to its present schema. */
export interface MigrationPlan {
  /** Where the database says which revisions it has; made by `bootstrap` before anything else. */
  readonly table: string;
  readonly bootstrap: readonly string[];
  /** Ascending from 1, without a gap. */
  readonly migrations: readonly Migration[];
}

export const MIGRATIONS: Readonly<Record<DatabaseKind, MigrationPlan>> = {
  main: {
    table: 'con_schema_revision',
    bootstrap: mainRevisions,
    migrations: [
      mainFirstPath,
      mainOrderAndRevocation,
      mainConflictsAndStarts,
      mainStarts,
      mainAppAuthority,
      mainPublicationBarriers,
      mainConversion,
      mainPackAudit,
    ],
  },
  journal: { table: 'jrn_schema_revision', bootstrap: journalRevisions, migrations: [journalFirstPath] },
};
