import { CLAUSE, early, EARLY, FENCE, GATE, ignored, LOCK, plant, replaced, unlocked, type Mutant } from './mutant';

const LANE = unlocked('con_ordering_lane');
const EXECUTION = unlocked('con_execution');
const UNLOCKED = [GATE, LANE, EXECUTION] as const;
const SAME_FENCE = (label: string) => replaced(`update con_ordering_lane#${label}`, 'fence = fence + 1', 'fence = fence + 0');
const NOT_WAITING = replaced('update con_execution_dependency#expire', "AND state = 'waiting'", '');

/** Faults in lanes and at gaps. */
export const ORDERING_MUTANTS: readonly Mutant[] = [
  plant('materialize-receipts', LOCK, 'materialize | record, latest lane', 'admit-and-materialize', GATE, LANE),
  plant('materialize-receipts', EARLY, 'materialize | record, latest lane', 'admit-and-materialize', GATE, early('con_ordering_lane')),
  plant('record-results', LOCK, 'materialize | record, same lane', 'record-results', GATE, LANE),
  plant('record-results', FENCE, 'materialize | record, same lane', 'record-results', SAME_FENCE('advance')),
  plant('claim-lanes', LOCK, 'claim | claim, same lane', 'claim-lanes', ...UNLOCKED),
  plant('claim-lanes', FENCE, 'claim | claim, same lane', 'claim-lanes', SAME_FENCE('claim')),
  plant('claim-lanes', LOCK, 'claim lane | halt', 'claim-lanes', GATE),
  plant('claim-lanes', EARLY, 'claim lane | halt', 'claim-lanes', early('con_serving_gate')),
  plant('claim-lanes', EARLY, 'record | claim next, same lane', 'claim-lanes', GATE, early('con_ordering_lane')),
  plant('claim-lanes', FENCE, 'record | claim next, same lane', 'claim-lanes', SAME_FENCE('lease')),
  plant('claim-lanes', LOCK, 'record | claim again, same lane', 'claim-lanes', ...UNLOCKED),
  plant(
    'claim-lanes',
    CLAUSE,
    'record | claim next, same lane',
    'claim-lanes',
    ...UNLOCKED,
    replaced('update con_execution#claim', "AND state = 'ready' AND open_lane IS NOT NULL ", ''),
    replaced(
      'update con_ordering_lane#lease',
      'AND active_execution IN (?) AND held_reason IS NULL',
      'AND (active_execution IN (?) OR TRUE)',
    ),
  ),
  plant('supersede-positions', LOCK, 'claim | claim, latest lane', 'claim-lanes', ...UNLOCKED),
  plant('supersede-positions', EARLY, 'claim | claim, latest lane', 'claim-lanes', GATE, LANE, early('con_execution')),
  plant('supersede-positions', LOCK, 'admit | claim | claim, latest lane', 'claim-lanes', ...UNLOCKED),
  plant(
    'supersede-positions',
    CLAUSE,
    'claim | claim, same lane',
    'claim-lanes',
    replaced('read con_execution#behind', 'OR e.source_position <= l.high_water', 'OR TRUE'),
  ),
  plant('await-gaps', LOCK, 'claim | claim, behind a gap', 'claim-lanes', ...UNLOCKED),
  plant(
    'await-gaps',
    FENCE,
    'claim | claim, behind a gap',
    'claim-lanes',
    replaced('update con_ordering_lane#await', 'AND active_execution IS NULL', 'AND FALSE'),
  ),
  plant(
    'await-gaps',
    CLAUSE,
    'claim | claim, behind a gap',
    'claim-lanes',
    ...UNLOCKED,
    ignored('con_execution_dependency'),
    replaced('update con_execution#await', "AND attempt_count = 0 AND state = 'ready'", ''),
  ),
  plant('await-gaps', LOCK, 'admit | claim | dispose, what is missing', 'claim-lanes', ...UNLOCKED),
  plant('dispose-gaps', LOCK, 'dispose | dispose', 'dispose-gaps', ...UNLOCKED),
  plant('dispose-gaps', FENCE, 'dispose | dispose', 'dispose-gaps', SAME_FENCE('hold')),
  plant(
    'dispose-gaps',
    CLAUSE,
    'dispose | dispose',
    'dispose-gaps',
    ...UNLOCKED,
    NOT_WAITING,
    replaced('update con_execution#quarantine', "AND state = 'waiting_dependency'", ''),
    replaced('update con_ordering_lane#hold', 'AND active_execution IS NULL AND held_reason IS NULL', ''),
  ),
  plant('dispose-gaps', LOCK, 'dispose | admit, what is missing', 'dispose-gaps', GATE, LANE),
  plant('dispose-gaps', EARLY, 'dispose | dispose', 'dispose-gaps', GATE, early('con_ordering_lane')),
  plant('dispose-gaps', LOCK, 'dispose | halt', 'dispose-gaps', GATE),
  plant('dispose-gaps', EARLY, 'dispose | halt', 'dispose-gaps', early('con_serving_gate')),
  plant('dispose-gaps', FENCE, 'dispose | claim', 'dispose-gaps', SAME_FENCE('raise')),
  plant(
    'dispose-gaps',
    CLAUSE,
    'dispose | claim, it has come',
    'dispose-gaps',
    replaced('read con_execution_dependency', 'e.source_position = d.missing_position', 'FALSE'),
  ),
];
