import { uuidText } from '@connector/kernel/document';
import { Digest } from '@connector/kernel/digest';
import { CONNECTOR_CAPABILITY } from '@connector/catalog/model/view-of';
import { DefectFault } from '@connector/kernel/faults';
import {
  AttemptId,
  CertificateId,
  ConfigurationId,
  CredentialGenerationId,
  EpochId,
  type IdKind,
  type IdName,
  type IdText,
  OperationId,
} from '@connector/kernel/ids';
import type { SecretRef } from '@connector/platform/secrets/secret-backend';
import { ALERT_REASONS } from '@connector/control/model/policies';

/** The two worlds of a fresh machine (experience 3(b)), and what GitHub sends. Ids are the same on every machine, so that each step may be asked for again. */
function fixed<Name extends IdName>(kind: IdKind<Name>, label: string): IdText<Name> {
  return kind.of(Digest.bytes(Digest.sha256(Buffer.from(`connector demo: ${label}`, 'utf8'))).subarray(0, 16));
}

/** Whose everything is. Its installation is Catalog's to name: it is read back. */
export const SCOPE = { organization: '018f3c2a-0001-7000-8000-000000000001', workload: 'wl.workbench' };

/** The App of a fresh machine, and what serves its one handler. */
export const WORKBENCH = {
  publisher: 'dev.example',
  app: 'dev.example.workbench',
  version: '1.0.0',
  capability: 'dev.example.workbench.run.v1',
  handler: 'dev.example.workbench.handler.run.v1',
  /** Under it a workload may run the connector. */
  runtimeCapability: `${CONNECTOR_CAPABILITY}.v1`,
  /** Names the Runtime of this machine to whoever binds a handler to it. */
  serviceRelease: Digest.sha256(Buffer.from('connector demo: runtime 1', 'utf8')),
};

export const IDS = {
  credential: fixed(CredentialGenerationId, 'credential 1'),
  configuration: fixed(ConfigurationId, 'configuration 1'),
  epoch: fixed(EpochId, 'epoch 1'),
  verification: fixed(OperationId, 'verification 1'),
  genesis: fixed(OperationId, 'genesis'),
  certificate: fixed(CertificateId, 'certificate'),
  attempt: fixed(AttemptId, 'attempt'),
};

/** A channel by which a provider reaches an account. */
export interface DemoChannel {
  readonly pack: string;
  readonly account: string;
  readonly channel: string;
  readonly scheme: 'standard-webhooks' | 'github-sha256';
  /** Where the transport key stands. */
  readonly keyHeader: string;
  readonly route: string;
  readonly mapping: string;
  /** The handler of the workbench that the route feeds. */
  readonly handler: string;
  readonly secret: SecretRef;
}
export const CHANNELS: readonly DemoChannel[] = [
  {
    ...{ pack: 'larkspur-crm', account: 'larkspur/acme', channel: 'hook', scheme: 'standard-webhooks', keyHeader: 'webhook-id' },
    ...{ route: 'contact/upsert', mapping: 'contact/default', handler: 'dev.example.workbench/contact-opens-ticket' },
    secret: { path: 'channels/larkspur/acme/hook', version: '1' },
  },
  {
    ...{ pack: 'tern-desk', account: 'tern/acme', channel: 'hints', scheme: 'github-sha256', keyHeader: 'x-tern-delivery' },
    ...{ route: 'ticket/hint', mapping: 'ticket/default', handler: 'dev.example.workbench/ticket-hint' },
    secret: { path: 'channels/tern/acme/hints', version: '1' },
  },
  {
    ...{ pack: 'github', account: 'github/acme', channel: 'events', scheme: 'github-sha256', keyHeader: 'x-github-delivery' },
    ...{ route: 'delivery/any', mapping: 'delivery/default', handler: 'dev.example.workbench/delivery-noted' },
    secret: { path: 'channels/github/acme/events', version: '1' },
  },
];

export function channelOf(name: string, channels: readonly DemoChannel[] = CHANNELS): DemoChannel {
  const found = channels.find(({ channel }) => channel === name);
  if (found === undefined) throw new DefectFault('HOUSE:local:NoSuchChannel', name);
  return found;
}

export const CREDENTIAL = {
  ref: 'desk/api-token',
  provider: 'dev.example.tern-desk',
  account: 'tern/acme',
  secret: { path: 'providers/tern/acme/api-token', version: '1' } satisfies SecretRef,
};

export const HANDLER_VERSION = '1';

const MINUTE_MS = 60_000;
const POLICIES = {
  attempts_max: 5,
  backoff: { first_ms: 1_000, factor: 2, cap_ms: MINUTE_MS },
  // A claimant that died is replaced when its leases end: within 30 s, with the look that finds them (PUB-EXE-03).
  lease_ms: 20_000,
  call_deadline_ms: 10_000,
  body_bytes_max: 262_144,
  alert_after_ms: Object.fromEntries(ALERT_REASONS.map((reason) => [reason, 5 * MINUTE_MS])),
};

export const CONFIGURATION = {
  schema_version: 'nexuscrm.connector-service-configuration/v1',
  environment_id: 'local',
  service_id: 'connector',
  accounts: CHANNELS.map(({ account, channel, scheme, route, mapping }) => ({
    account,
    provider_organization: 'acme',
    channels: [{ channel, scheme, route }],
    routes: [route],
    mappings: [mapping],
    policies: POLICIES,
  })),
  credential_relation: [
    {
      account: CREDENTIAL.account,
      credential_ref: CREDENTIAL.ref,
      credential_generation_id: uuidText(CredentialGenerationId.bytes(IDS.credential)),
    },
  ],
};
