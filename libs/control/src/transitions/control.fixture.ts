import type { AccountName } from '@connector/kernel/brand';
import { uuidText } from '@connector/kernel/document';
import { ConfigurationId, CredentialGenerationId } from '@connector/kernel/ids';
import type { ServiceConfiguration } from '../model/documents';
import { ALERT_REASONS, type Policies } from '../model/policies';
import type { AuthorCredential } from './author-credential.tx';
import type { AuthorConfiguration } from './author-configuration.tx';

const ALERTS = Object.fromEntries(ALERT_REASONS.map((reason) => [reason, 60_000])) as Policies['alert_after_ms'];
export const POLICIES: Policies = {
  attempts_max: 5,
  backoff: { first_ms: 100, factor: 2, cap_ms: 10_000 },
  lease_ms: 30_000,
  call_deadline_ms: 5_000,
  body_bytes_max: 1_048_576,
  alert_after_ms: ALERTS,
};

export const ACCOUNT = 'north/acme' as AccountName;

export function credentialInput(change: Partial<AuthorCredential> = {}): AuthorCredential {
  return {
    generationId: CredentialGenerationId.mint(),
    credentialIdentity: 'primary',
    provider: 'north',
    account: ACCOUNT,
    secretPath: 'north/primary',
    secretVersion: '1',
    transport: { scheme: 'bearer', header: 'authorization' },
    ...change,
  };
}

/** One account with one route, one channel and one credential reference. */
export function configurationInput(generationId: CredentialGenerationId, change: Partial<ServiceConfiguration> = {}): AuthorConfiguration {
  return {
    generationId: ConfigurationId.mint(),
    authoredBy: 'ops',
    configuration: {
      schema_version: 'nexuscrm.connector-service-configuration/v1',
      environment_id: 'test',
      service_id: 'connector',
      accounts: [
        {
          account: ACCOUNT,
          provider_organization: 'acme',
          channels: [{ channel: 'hook', scheme: 'standard-webhooks', route: 'record/changed' }],
          routes: ['record/changed'],
          mappings: ['record/default'],
          policies: { ...POLICIES, backoff: { ...POLICIES.backoff }, alert_after_ms: { ...ALERTS } },
        },
      ],
      credential_relation: [
        { account: ACCOUNT, credential_ref: 'primary', credential_generation_id: uuidText(CredentialGenerationId.bytes(generationId)) },
      ],
      ...change,
    },
  };
}
