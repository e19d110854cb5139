import { BARRIER, early, EARLY, FENCE, LOCK, type Mutant, plant, replaced, unlocked } from './mutant';

const SET = 'set-membership';
const LINEAGE = unlocked('cat_lineage');

/** Whoever changes what serves in an organization stands in line at its lineage row; everything behind it is written without a clause of its own. */
export const MEMBERSHIP_MUTANTS: readonly Mutant[] = [
  plant(SET, LOCK, 'set membership | set membership', SET, LINEAGE, BARRIER),
  plant(SET, LOCK, 'set membership | set membership, one standing', SET, LINEAGE, unlocked('cat_installation'), BARRIER),
  plant('publish-views', LOCK, 'publish | want', 'publish', LINEAGE, unlocked('cat_installation'), BARRIER),
  plant(SET, LOCK, 'publish | want', SET, LINEAGE, unlocked('cat_installation'), BARRIER),
  plant(SET, EARLY, 'set membership | set membership', SET, early('cat_lineage'), BARRIER),
  plant(
    SET,
    FENCE,
    'set membership | set membership, two installations',
    SET,
    replaced('update cat_lineage#revision', 'SET catalog_revision = ?', 'SET catalog_revision = catalog_revision + 0 * ?'),
  ),
  plant(
    SET,
    FENCE,
    'set membership | set membership, one standing',
    SET,
    replaced('update cat_membership_head', 'SET catalog_revision = ?', 'SET catalog_revision = catalog_revision + 0 * ?'),
  ),
  plant(
    'publish-views',
    FENCE,
    'set membership | set membership, one standing',
    SET,
    replaced('update cat_view_current', 'catalog_revision = ?', 'catalog_revision = catalog_revision + 0 * ?'),
  ),
];
