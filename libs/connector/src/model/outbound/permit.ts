import { machine } from '@connector/kernel/machine';

/** con:PRMT-01 to con:PRMT-05. */
export const permitMachine = machine({
  name: 'DispatchPermit',
  states: ['granted', 'sending', 'returned', 'abandoned'],
  initial: 'granted',
  moves: {
    'start-sending': [['granted', 'sending']],
    'settle-permits': [['sending', 'returned']],
    'abandon-permits': [
      ['granted', 'abandoned'],
      ['sending', 'abandoned'],
    ],
  },
});
export type PermitState = (typeof permitMachine.states)[number];
