/**
 * commit-genesis: record, in the journal, that the attempt committed
 *
 * why     From here on an epoch was once active, whatever a restore makes of the main database: no later activation is a genesis.
 * paths   commit-genesis
 * fence   the standing intent is of the same attempt; the primary key of the commit
 * again   The service and the attempt.
 */
import { invariant } from '@connector/kernel/faults';
import type { AttemptId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { jrnGenesisCommit, jrnGenesisIntent } from '@connector/schema/journal/journal';
import { journalDoors } from '../../model/journal-paths';
import { sameAttempt, type GenesisAttempt } from '../../model/serving/genesis';
import { SERVICE_KEY } from '../../model/serving/work';

export type CommitGenesis =
  | { readonly kind: 'committed' | 'already-committed' }
  | { readonly kind: 'not-intended' }
  | { readonly kind: 'other-attempt'; readonly attemptId: AttemptId };

const KEY = { service_key: SERVICE_KEY };
const INTENDED = readRows(jrnGenesisIntent, ['attempt_id', 'epoch_id', 'epoch_digest'], 'WHERE service_key = :service_key');
const COMMITTED = readRows(jrnGenesisCommit, ['attempt_id'], 'WHERE service_key = :service_key');

export function commitGenesis(journal: Db, attempt: GenesisAttempt): Promise<CommitGenesis> {
  return journal.fenced(journalDoors['commit-genesis'], async (tx) => {
    const [intended] = await tx.read(INTENDED, KEY);
    if (intended === undefined) return { kind: 'not-intended' };
    if (!sameAttempt(intended, attempt)) return { kind: 'other-attempt', attemptId: intended.attempt_id };
    const row = { ...KEY, attempt_id: attempt.attemptId, epoch_digest: attempt.epochDigest };
    if ((await tx.insertNew(jrnGenesisCommit, row)) === 'inserted') return { kind: 'committed' };
    const [standing] = await tx.read(COMMITTED, KEY);
    // The intent above is of this attempt and there is one intent for ever, so nobody else's commit can stand here.
    invariant(standing?.attempt_id === attempt.attemptId, 'HOUSE:connector:JournalCommitForeign', 'a genesis commit without its intent');
    return { kind: 'already-committed' };
  });
}
