import { born, digest, id, name, word } from '@connector/kernel/column';
import { AttemptId, EpochId } from '@connector/kernel/ids';
import { table } from '@connector/kernel/table';

/** decisions 10: whether this deployment has a predecessor; written once, kept away from the main database. */
export const jrnService = table('jrn_service', {
  about: 'The predecessor fact of the service.',
  rank: null,
  columns: { service_key: name(16), predecessor: word(32), declared_by: name(128), declared_at: born() },
  primary: ['service_key'],
});

/** decisions 13.6: the intent comes first; only the same attempt resumes. */
export const jrnGenesisIntent = table('jrn_genesis_intent', {
  about: 'Which attempt may begin the service.',
  rank: null,
  columns: { service_key: name(16), attempt_id: id(AttemptId), epoch_id: id(EpochId), epoch_digest: digest(), recorded_at: born() },
  primary: ['service_key'],
});

/** An epoch was once active: no later activation may be a genesis. */
export const jrnGenesisCommit = table('jrn_genesis_commit', {
  about: 'That the genesis committed.',
  rank: null,
  columns: { service_key: name(16), attempt_id: id(AttemptId), epoch_digest: digest(), recorded_at: born() },
  primary: ['service_key'],
});
