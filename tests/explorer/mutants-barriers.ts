import { BARRIER, CLAUSE, early, EARLY, FENCE, LOCK, plant, replaced, unlocked, type Mutant } from './mutant';

const PACKS = unlocked('pck_publication_barrier');
const AUTHOR = 'barrier acquire | author';
const NOT_BELOW = ['AND holder_fence <= ?', 'AND (holder_fence <= ? OR TRUE)'] as const;
const USED = ['AND holder_fence < ?', 'AND (holder_fence < ? OR TRUE)'] as const;

/** The lock holds authors off; who holds is in the WHERE of every move. */
export const BARRIER_MUTANTS: readonly Mutant[] = [
  plant('pass-barrier', LOCK, AUTHOR, 'set-membership', BARRIER),
  plant('pass-barrier', EARLY, AUTHOR, 'set-membership', early('cat_publication_barrier')),
  plant('acquire-barrier', LOCK, AUTHOR, 'acquire-barrier', BARRIER),
  plant(
    'acquire-barrier',
    CLAUSE,
    'barrier acquire | barrier acquire, a successor',
    'acquire-barrier',
    replaced('update cat_publication_barrier#take-over', ...NOT_BELOW),
  ),
  plant(
    'acquire-barrier',
    CLAUSE,
    'barrier acquire | barrier release, its own',
    'acquire-barrier',
    replaced('update cat_publication_barrier#hold', ...USED),
  ),
  plant(
    'acquire-barrier',
    FENCE,
    AUTHOR,
    'acquire-barrier',
    replaced('update cat_publication_barrier#hold', 'barrier_fence = ?,', 'barrier_fence = barrier_fence + 0 * ?,'),
  ),
  plant(
    'release-barrier',
    CLAUSE,
    'barrier acquire | barrier release, a predecessor',
    'release-barrier',
    replaced('update cat_publication_barrier#release', ...NOT_BELOW),
  ),
  plant('register-pack', LOCK, `pack ${AUTHOR}`, 'register-pack', PACKS),
  plant(
    'acquire-pack-barrier',
    CLAUSE,
    'pack barrier acquire | pack barrier acquire, a successor',
    'acquire-pack-barrier',
    replaced('update pck_publication_barrier#take-over', ...NOT_BELOW),
  ),
  plant(
    'release-pack-barrier',
    CLAUSE,
    'pack barrier acquire | pack barrier release, a predecessor',
    'release-pack-barrier',
    replaced('update pck_publication_barrier#release', ...NOT_BELOW),
  ),
];
