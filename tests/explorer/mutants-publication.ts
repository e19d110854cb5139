import { BARRIER, early, EARLY, FENCE, LOCK, type Mutant, plant, replaced, unlocked } from './mutant';

const LINEAGE = unlocked('cat_lineage');
const TRUST = [unlocked('cat_publisher'), unlocked('cat_app_ownership')] as const;

/** The lineage row is the one door of an organization: what it holds still has no clause of its own behind it. */
export const PUBLICATION_MUTANTS: readonly Mutant[] = [
  plant('open-publication', LOCK, 'install | install, one App', 'open-publication', ...TRUST, LINEAGE),
  plant('open-publication', LOCK, 'install | install, two Apps', 'open-publication', ...TRUST, LINEAGE),
  plant('open-publication', EARLY, 'install | install, two Apps', 'open-publication', ...TRUST, early('cat_lineage')),
  plant('record-compiled', LOCK, 'compiled | fail', 'record-compiled', LINEAGE),
  plant('record-acknowledged', LOCK, 'acknowledged | fail', 'record-acknowledged', LINEAGE),
  plant('publish', LOCK, 'publish | publish', 'publish', LINEAGE, unlocked('cat_installation'), BARRIER),
  plant('publish', LOCK, 'publish | fail', 'publish', LINEAGE, unlocked('cat_installation'), BARRIER),
  plant('publish', EARLY, 'publish | want', 'publish', early('cat_lineage'), BARRIER),
  plant(
    'publish',
    FENCE,
    'publish | publish',
    'publish',
    replaced('update cat_lineage#close', 'SET open_installation_id = NULL, open_attempt = NULL', 'SET open_attempt = open_attempt'),
  ),
  plant(
    'publish',
    FENCE,
    'publish | want',
    'publish',
    replaced('update cat_lineage#revision', 'SET catalog_revision = ?', 'SET catalog_revision = catalog_revision + 0 * ?'),
  ),
  plant('fail-publication', LOCK, 'publish | fail', 'fail-publication', LINEAGE, unlocked('cat_installation'), BARRIER),
];
