import { machine } from '@connector/kernel/machine';

/** con:CGATE-01, con:CGATE-02. */
export const credentialGateMachine = machine({
  name: 'CredentialGenerationDispatchGate',
  states: ['enabled', 'revoked'],
  initial: 'enabled',
  moves: { 'revoke-credential': [['enabled', 'revoked']], 'reenable-credential': [['revoked', 'enabled']] },
});
export type CredentialGateMode = (typeof credentialGateMachine.states)[number];

/** What L2 may decide of a credential generation. */
export const CREDENTIAL_VERBS = ['revoke', 'reenable'] as const;
export type CredentialVerb = (typeof CREDENTIAL_VERBS)[number];

/** The mode that a verb needs, and the one that it makes. */
export const CREDENTIAL_MODES: Readonly<Record<CredentialVerb, { readonly from: CredentialGateMode; readonly to: CredentialGateMode }>> = {
  revoke: { from: 'enabled', to: 'revoked' },
  reenable: { from: 'revoked', to: 'enabled' },
};
