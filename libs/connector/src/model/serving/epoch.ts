import { machine } from '@connector/kernel/machine';

/** con:EPOCH-01 to con:EPOCH-08. */
export const epochMachine = machine({
  name: 'ServingEpoch',
  states: ['prepared', 'verified', 'rejected', 'active', 'draining', 'retired'],
  initial: 'prepared',
  moves: {
    'verify-epoch': [
      ['prepared', 'verified'],
      ['prepared', 'rejected'],
    ],
    'reject-verified': [['verified', 'rejected']],
    'activate-genesis': [['verified', 'active']],
    'activate-successor': [
      ['verified', 'active'],
      ['active', 'draining'],
    ],
    'retire-epoch': [['draining', 'retired']],
  },
});
export type EpochState = (typeof epochMachine.states)[number];
