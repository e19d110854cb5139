import { machine } from '@connector/kernel/machine';

/** con:EXEC-01 to con:EXEC-06. A claim is a lease on `ready`, not a state. */
export const executionMachine = machine({
  name: 'Execution',
  states: ['ready', 'waiting_dependency', 'completed', 'quarantined'],
  initial: 'ready',
  moves: {
    'await-dependency': [['ready', 'waiting_dependency']],
    'record-results': [['ready', 'completed']],
    'quarantine-execution': [
      ['ready', 'quarantined'],
      ['waiting_dependency', 'quarantined'],
    ],
    'resolve-dependency': [['waiting_dependency', 'ready']],
  },
});
export type ExecutionState = (typeof executionMachine.states)[number];
