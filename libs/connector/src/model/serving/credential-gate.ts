import { machine } from '@connector/kernel/machine';

/** con:CGATE-01, con:CGATE-02. */
export const credentialGateMachine = machine({
  name: 'CredentialGenerationDispatchGate',
  states: ['enabled', 'revoked'],
  initial: 'enabled',
  moves: { 'revoke-credential': [['enabled', 'revoked']], 'reenable-credential': [['revoked', 'enabled']] },
});
export type CredentialGateMode = (typeof credentialGateMachine.states)[number];
