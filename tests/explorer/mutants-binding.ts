import { BARRIER, CLAUSE, FENCE, LOCK, type Mutant, plant, replaced, unlocked } from './mutant';

const LINEAGE = unlocked('cat_lineage');
const INSTALLATION = unlocked('cat_installation');
const STATE = unlocked('cat_binding_state');
const HEAD = unlocked('cat_ownership_head');

/** Two rows hold an installation's bindings still, one for all of the organization and one for the installation; a mutant takes both away. */
export const BINDING_MUTANTS: readonly Mutant[] = [
  plant('activate-binding', LOCK, 'activate | activate', 'activate-binding', LINEAGE, INSTALLATION, STATE, HEAD, BARRIER),
  plant(
    'activate-binding',
    FENCE,
    'activate | activate',
    'activate-binding',
    replaced('update cat_ownership_head', 'SET ownership_epoch = ?', 'SET ownership_epoch = ownership_epoch + 0 * ?'),
  ),
  plant('activate-binding', LOCK, 'activate | fail binding', 'activate-binding', INSTALLATION, STATE, BARRIER),
  plant('fail-binding', LOCK, 'activate | fail binding', 'fail-binding', INSTALLATION, STATE, BARRIER),
  plant('retire-binding', LOCK, 'retire | refer', 'retire-binding', INSTALLATION, STATE),
  plant('open-binding-reference', LOCK, 'retire | refer', 'open-binding-reference', INSTALLATION, STATE),
  plant(
    'close-binding-reference',
    CLAUSE,
    'retire | close',
    'close-binding-reference',
    INSTALLATION,
    replaced('update cat_binding_reference#close', 'SET open_binding_id = NULL', 'SET open_binding_id = open_binding_id'),
  ),
];
