import { CLAUSE, early, EARLY, ignored, LOCK, type Mutant, plant, replaced, SWALLOWED, unlocked } from './mutant';

const LINEAGE = unlocked('cat_lineage');
const [DELETE, RETIRE] = ['delete-legacy-pack', 'retire-legacy-reader'] as const;

/** Whoever ends a coexistence, or begins a publication, stands in line at the organization's lineage. */
export const CONVERSION_MUTANTS: readonly Mutant[] = [
  plant(DELETE, LOCK, 'delete legacy pack | want', DELETE, LINEAGE),
  plant(DELETE, EARLY, 'delete legacy pack | want', DELETE, early('cat_lineage')),
  plant(
    DELETE,
    CLAUSE,
    'retire reader | delete legacy pack',
    DELETE,
    replaced('read cat_legacy_reader#open', 'WHERE r.organization_id = ?', 'WHERE 1 = 0 AND r.organization_id = ?'),
  ),
  plant(
    RETIRE,
    CLAUSE,
    'retire reader | delete legacy pack',
    RETIRE,
    replaced('update cat_legacy_reader#retire', 'SET open_app_id = NULL', 'SET open_app_id = open_app_id'),
  ),
  plant('fail-conversion', SWALLOWED, 'convert | give up', 'fail-conversion', ignored('cat_conversion')),
];
