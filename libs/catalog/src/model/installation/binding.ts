import { machine } from '@connector/kernel/machine';

/** cat:BIND-06, cat:A-35: 4 of 25 pairs, of handler and of frontend bindings alike. */
export const bindingMachine = machine({
  name: 'HandlerBinding',
  states: ['STAGED', 'ACTIVE', 'DRAINING', 'RETIRED', 'FAILED'],
  initial: 'STAGED',
  moves: {
    publish: [
      ['STAGED', 'ACTIVE'],
      ['ACTIVE', 'DRAINING'],
    ],
    withdraw: [
      ['ACTIVE', 'DRAINING'],
      ['STAGED', 'FAILED'],
    ],
    'activate-binding': [
      ['STAGED', 'ACTIVE'],
      ['ACTIVE', 'DRAINING'],
    ],
    'fail-publication': [['STAGED', 'FAILED']],
    'abandon-candidate': [['STAGED', 'FAILED']],
    'fail-binding': [['STAGED', 'FAILED']],
    'retire-binding': [['DRAINING', 'RETIRED']],
  },
});
export type BindingState = (typeof bindingMachine.states)[number];

/** Under which capability a frontend is bound: of one segment, so no capability has this name (cat:ID-08). */
export const FRONTEND = 'frontend';
