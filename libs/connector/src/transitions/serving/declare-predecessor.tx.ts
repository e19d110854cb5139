/**
 * declare-predecessor: write once, in the journal, whether this deployment has a predecessor
 *
 * why     A genesis is refused where something served before (decisions 10). The fact lives in the journal, so that a restore of the main
 *         database cannot take it back.
 * paths   declare-predecessor
 * fence   the primary key: one word for ever
 * again   The service, and the declared word.
 */
import { invariant } from '@connector/kernel/faults';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { jrnService } from '@connector/schema/journal/journal';
import { journalDoors } from '../../model/journal-paths';
import type { Predecessor } from '../../model/serving/genesis';
import { SERVICE_KEY } from '../../model/serving/work';

export type DeclarePredecessor =
  { readonly kind: 'declared' | 'already-declared' } | { readonly kind: 'conflicting-declaration'; readonly predecessor: string };

const DECLARED = readRows(jrnService, ['predecessor'], 'WHERE service_key = :service_key');

export function declarePredecessor(
  journal: Db,
  input: { readonly predecessor: Predecessor; readonly by: string },
): Promise<DeclarePredecessor> {
  return journal.fenced(journalDoors['declare-predecessor'], async (tx) => {
    const row = { service_key: SERVICE_KEY, predecessor: input.predecessor, declared_by: input.by };
    if ((await tx.insertNew(jrnService, row)) === 'inserted') return { kind: 'declared' };
    const [standing] = await tx.read(DECLARED, { service_key: SERVICE_KEY });
    invariant(standing !== undefined, 'HOUSE:connector:JournalRowVanished', 'jrn_service was there and is not');
    if (standing.predecessor === input.predecessor) return { kind: 'already-declared' };
    return { kind: 'conflicting-declaration', predecessor: standing.predecessor };
  });
}
