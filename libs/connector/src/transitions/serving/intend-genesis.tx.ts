/**
 * intend-genesis: name, in the journal, the one attempt that may begin the service
 *
 * why     Two databases cannot commit together: the intent comes first, and only the same attempt resumes it (decisions 13.6).
 * paths   intend-genesis
 * fence   the declared word `no_predecessor`; the primary key of the intent. Every row here is written once, so the plain looks stand.
 * again   The service and the attempt.
 */
import { invariant } from '@connector/kernel/faults';
import type { AttemptId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { jrnGenesisCommit, jrnGenesisIntent, jrnService } from '@connector/schema/journal/journal';
import { journalDoors } from '../../model/journal-paths';
import { sameAttempt, type GenesisAttempt } from '../../model/serving/genesis';
import { SERVICE_KEY } from '../../model/serving/work';

export type IntendGenesis =
  | { readonly kind: 'intended' | 'already-intended' | 'already-committed' }
  | { readonly kind: 'predecessor-undeclared' }
  | { readonly kind: 'predecessor-declared'; readonly predecessor: string }
  | { readonly kind: 'epoch-was-active' | 'other-attempt'; readonly attemptId: AttemptId };

const KEY = { service_key: SERVICE_KEY };
const DECLARED = readRows(jrnService, ['predecessor'], 'WHERE service_key = :service_key');
const COMMITTED = readRows(jrnGenesisCommit, ['attempt_id', 'epoch_digest'], 'WHERE service_key = :service_key');
const INTENDED = readRows(jrnGenesisIntent, ['attempt_id', 'epoch_id', 'epoch_digest'], 'WHERE service_key = :service_key');

export function intendGenesis(journal: Db, attempt: GenesisAttempt): Promise<IntendGenesis> {
  return journal.fenced(journalDoors['intend-genesis'], async (tx) => {
    const [service] = await tx.read(DECLARED, KEY);
    if (service === undefined) return { kind: 'predecessor-undeclared' };
    if (service.predecessor !== 'no_predecessor') return { kind: 'predecessor-declared', predecessor: service.predecessor };
    const [committed] = await tx.read(COMMITTED, KEY);
    if (committed !== undefined) {
      const ours = committed.attempt_id === attempt.attemptId && committed.epoch_digest === attempt.epochDigest;
      return ours ? { kind: 'already-committed' } : { kind: 'epoch-was-active', attemptId: committed.attempt_id };
    }
    return intend(tx, attempt);
  });
}

async function intend(tx: FencedTx, attempt: GenesisAttempt): Promise<IntendGenesis> {
  const row = { ...KEY, attempt_id: attempt.attemptId, epoch_id: attempt.epochId, epoch_digest: attempt.epochDigest };
  if ((await tx.insertNew(jrnGenesisIntent, row)) === 'inserted') return { kind: 'intended' };
  const [standing] = await tx.read(INTENDED, KEY);
  invariant(standing !== undefined, 'HOUSE:connector:JournalRowVanished', 'jrn_genesis_intent was there and is not');
  return sameAttempt(standing, attempt) ? { kind: 'already-intended' } : { kind: 'other-attempt', attemptId: standing.attempt_id };
}
