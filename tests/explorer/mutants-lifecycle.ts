import { BARRIER, CLAUSE, early, EARLY, FENCE, LOCK, type Mutant, plant, replaced, unlocked } from './mutant';

const LINEAGE = unlocked('cat_lineage');
const ROW = unlocked('cat_installation');

/** Behind the lineage row each door has the state and the attempt in its CAS: a mutant takes the lock, and where that is not enough the clause too. */
export const LIFECYCLE_MUTANTS: readonly Mutant[] = [
  plant('open-removal', LOCK, 'remove | remove', 'open-removal', LINEAGE, ROW, BARRIER),
  plant('open-removal', LOCK, 'remove | install dependent', 'open-removal', LINEAGE),
  plant('abandon-candidate', LOCK, 'abandon | publish', 'abandon-candidate', LINEAGE, ROW, BARRIER),
  plant('stage-binding', LOCK, 'stage | publish', 'stage-binding', LINEAGE, ROW, BARRIER),
  plant('stage-binding', LOCK, 'stage | withdraw', 'stage-binding', LINEAGE, ROW, BARRIER),
  plant('supersede-abandonment', LOCK, 'supersede | finish abandonment', 'supersede-abandonment', LINEAGE, ROW, BARRIER),
  plant('finish-abandonment', LOCK, 'supersede | finish abandonment', 'finish-abandonment', LINEAGE, ROW, BARRIER),
  plant(
    'finish-abandonment',
    FENCE,
    'supersede | finish abandonment',
    'finish-abandonment',
    replaced('update cat_lineage#close', 'SET open_installation_id = NULL, open_attempt = NULL', 'SET open_attempt = open_attempt'),
  ),
  plant('withdraw', LOCK, 'withdraw | want', 'withdraw', LINEAGE, ROW, BARRIER),
  plant('withdraw', EARLY, 'withdraw | want', 'withdraw', early('cat_lineage'), BARRIER),
  plant(
    'withdraw',
    FENCE,
    'withdraw | want',
    'withdraw',
    replaced('update cat_installation#withdraw', 'activation_epoch = ?', 'activation_epoch = activation_epoch + 0 * ?'),
  ),
  plant(
    'finish-removal',
    CLAUSE,
    'finish removal | retire',
    'finish-removal',
    replaced('read cat_binding_state#held', "'STAGED', 'ACTIVE', 'DRAINING'", "'STAGED', 'ACTIVE'"),
  ),
];
