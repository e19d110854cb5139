import { machine } from '@connector/kernel/machine';

/** con:XDEP-01 to con:XDEP-03. Of an order gap (con:OPEN-19): the requirement is the missing position. */
export const dependencyMachine = machine({
  name: 'ExecutionDependency',
  states: ['waiting', 'satisfied', 'expired', 'rejected'],
  initial: 'waiting',
  moves: {
    'await-gaps': [['waiting', 'satisfied']],
    'dispose-gaps': [['waiting', 'expired']],
    'reject-dependency': [['waiting', 'rejected']],
  },
});
export type DependencyState = (typeof dependencyMachine.states)[number];
