import type { Instant } from '@connector/kernel/brand';
import type { Json } from '@connector/kernel/jcs';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catPublicationStep } from '@connector/schema/catalog/installations';
import { ENTRIES, type PublicationStep, STEPS } from '../model/installation/publication';

export const JOURNAL_MAX = 200;
const JOURNAL = readRows(
  catPublicationStep,
  ['attempt', 'step', 'entry', 'at'],
  `WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND attempt >= :attempt
   ORDER BY attempt, at LIMIT ${JOURNAL_MAX + 1}`,
  'journal',
);

export interface JournalEntry {
  readonly attempt: bigint;
  readonly step: PublicationStep;
  readonly at: Instant;
  readonly entry: Json;
}

export interface Journal {
  readonly entries: readonly JournalEntry[];
  /** The first attempt that did not fit, which goes back as `fromAttempt`; null: there are no more. */
  readonly next: bigint | null;
}

/**
 * What became of every attempt from `fromAttempt` on, oldest first, in whole attempts of at most 200 rows together; also of attempts that were
 * refused and made nothing.
 */
export async function readJournal(db: Db, organization: string, installation: string, fromAttempt: bigint): Promise<Journal> {
  const rows = await db.read(JOURNAL, { organization_id: organization, app_installation_id: installation, attempt: fromAttempt });
  const next = rows[JOURNAL_MAX]?.attempt ?? null;
  const shown = next === null ? rows : rows.filter(({ attempt }) => attempt < next);
  const entries = shown.map((row) => {
    const step = STEPS.find((one) => one === row.step) ?? 'opened';
    return { attempt: row.attempt, step, at: row.at, entry: ENTRIES[step].parse(row.entry).value };
  });
  return { entries, next };
}
