import { EARLY, early, ignored, FENCE, LOCK, plant, replaced, SWALLOWED, unlocked, type Edit, type Mutant } from './mutant';

const HEAD = unlocked('sec_head');
const STILL: Edit = replaced('update sec_head', 'SET security_epoch = ?', 'SET security_epoch = security_epoch + 0 * ?');

export const SECURITY_MUTANTS: readonly Mutant[] = [
  plant('advance-app-grants', LOCK, 'advance | advance', 'advance-app-grants', HEAD),
  plant('advance-app-grants', LOCK, 'advance | advance, one command', 'advance-app-grants', HEAD),
  plant('advance-app-grants', EARLY, 'advance | advance', 'advance-app-grants', early('sec_head')),
  plant('advance-app-grants', FENCE, 'advance | advance', 'advance-app-grants', STILL),
  plant('advance-app-grants', SWALLOWED, 'advance | advance, one id in two organizations', 'advance-app-grants', ignored('sec_command')),
  plant('set-other-inputs', LOCK, 'advance | set other inputs', 'set-other-inputs', HEAD),
  plant('set-other-inputs', EARLY, 'set other inputs | set other inputs', 'set-other-inputs', early('sec_head')),
  plant('set-other-inputs', FENCE, 'advance | set other inputs', 'set-other-inputs', STILL),
];
