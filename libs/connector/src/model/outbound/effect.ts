import { machine } from '@connector/kernel/machine';

/** con:REFF-01 to con:REFF-11. */
export const effectMachine = machine({
  name: 'RemoteEffect',
  states: ['prepared', 'dispatching', 'remote_confirmed', 'uncertain', 'no_effect', 'finalized', 'quarantined'],
  initial: 'prepared',
  moves: {
    'acquire-permits': [['prepared', 'dispatching']],
    'settle-permits': [
      ['dispatching', 'remote_confirmed'],
      ['dispatching', 'uncertain'],
      ['dispatching', 'no_effect'],
      ['dispatching', 'prepared'],
    ],
    'abandon-permits': [
      ['dispatching', 'prepared'],
      ['dispatching', 'uncertain'],
    ],
    'quarantine-effect': [
      ['prepared', 'quarantined'],
      ['uncertain', 'quarantined'],
    ],
    'reconcile-effect': [
      ['uncertain', 'remote_confirmed'],
      ['uncertain', 'no_effect'],
      ['uncertain', 'prepared'],
    ],
    'finalize-effects': [['remote_confirmed', 'finalized']],
  },
});
/** Why an effect is `no_effect` (con:REFF-05): the refusal was final, or every attempt that the frozen policy allows had none. */
export type NoEffectReason = 'PROVIDER_REFUSED' | 'ATTEMPTS_EXHAUSTED';
export type EffectState = (typeof effectMachine.states)[number];
