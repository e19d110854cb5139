import { machine } from '@connector/kernel/machine';

/** con:EXEC-01 to con:EXEC-06. A claim is a lease on `ready`, not a state. */
export const executionMachine = machine({
  name: 'Execution',
  states: ['ready', 'waiting_dependency', 'completed', 'quarantined'],
  initial: 'ready',
  moves: {
    'record-results': [['ready', 'completed']],
    'await-gaps': [
      ['ready', 'waiting_dependency'],
      ['waiting_dependency', 'ready'],
    ],
    'supersede-positions': [
      ['ready', 'quarantined'],
      ['waiting_dependency', 'quarantined'],
    ],
    'dispose-gaps': [
      ['waiting_dependency', 'ready'],
      ['waiting_dependency', 'quarantined'],
    ],
  },
});
export type ExecutionState = (typeof executionMachine.states)[number];
