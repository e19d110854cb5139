import { machine } from '@connector/kernel/machine';

/** con:GATE-01 to con:GATE-12. The first six moves belong to the cutover. */
export const gateMachine = machine({
  name: 'AccountServingGate',
  states: ['v1_serving', 'halting_v1', 'v1_stopped', 'v1_drained', 'v2_validating', 'v2_serving', 'halting_v2', 'v2_halted'],
  initial: 'v1_serving',
  moves: {
    'halt-v1': [['v1_serving', 'halting_v1']],
    'abort-v1': [
      ['halting_v1', 'v1_serving'],
      ['v1_drained', 'v1_serving'],
    ],
    'stop-v1': [['halting_v1', 'v1_stopped']],
    'drain-v1': [['v1_stopped', 'v1_drained']],
    'validate-v2': [
      ['v1_drained', 'v2_validating'],
      ['v2_validating', 'v1_drained'],
    ],
    'activate-first': [['v2_validating', 'v2_serving']],
    'halt-gate': [['v2_serving', 'halting_v2']],
    'conclude-halt': [['halting_v2', 'v2_halted']],
    'resume-gate': [['v2_halted', 'v2_serving']],
  },
});
export type GateMode = (typeof gateMachine.states)[number];
