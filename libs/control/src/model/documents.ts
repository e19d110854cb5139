import { inKeyOrder, inTextOrder } from '@connector/kernel/document-order';
import { ANY_OBJECT, closed, DIGEST, listOf, oneOf, type Shape, TEXT, type TypeOf, UUID } from '@connector/kernel/document-shape';
import { documentKind } from '@connector/kernel/document';

/** L2's documents (digests.md 2). No secret is in any of them: a credential is named by the version that its backend holds. */

/** `scheme` and the scheme's non-secret settings, all text. */
export interface CredentialTransport {
  readonly scheme: string;
  readonly [setting: string]: string;
}
const credentialTransportShape: Shape<CredentialTransport> = {
  schema: {
    type: 'object',
    required: ['scheme'],
    properties: { scheme: TEXT.schema },
    additionalProperties: TEXT.schema,
    maxProperties: 32,
  },
};
export const credentialTransport = documentKind<CredentialTransport>({
  name: 'credential transport',
  separator: 'nexuscrm.connector-credential-transport.v1',
  shape: credentialTransportShape,
});

const credentialReceiptShape = closed({
  receipt_protocol: oneOf('nexuscrm.connector-credential-receipt/v1'),
  credential_generation_id: UUID,
  credential_identity: TEXT,
  provider: TEXT,
  account: TEXT,
  secret_version: TEXT,
  transport_configuration_digest: DIGEST,
});
export type CredentialReceipt = TypeOf<typeof credentialReceiptShape>;

/** One generation of one credential; rotation is another generation (con:CRED-F). */
export const credentialReceipt = documentKind<CredentialReceipt>({
  name: 'credential receipt',
  separator: 'nexuscrm.connector-credential-receipt.v1',
  shape: credentialReceiptShape,
});

const channelShape = closed({ channel: TEXT, scheme: TEXT, route: TEXT });
const accountShape = closed({
  account: TEXT,
  provider_organization: TEXT,
  channels: listOf(channelShape, 100),
  routes: listOf(TEXT, 1000),
  mappings: listOf(TEXT, 1000),
  policies: ANY_OBJECT,
});
const serviceConfigurationShape = closed({
  schema_version: oneOf('nexuscrm.connector-service-configuration/v1'),
  environment_id: TEXT,
  service_id: TEXT,
  accounts: listOf(accountShape, 10_000),
  credential_relation: listOf(closed({ account: TEXT, credential_ref: TEXT, credential_generation_id: UUID }), 100_000),
});
export type ServiceConfiguration = TypeOf<typeof serviceConfigurationShape>;
export type AccountConfiguration = TypeOf<typeof accountShape>;

function arrangeAccount(account: AccountConfiguration): AccountConfiguration {
  return {
    ...account,
    channels: inKeyOrder(account.channels, ({ channel }) => [channel]),
    routes: inTextOrder(account.routes),
    mappings: inTextOrder(account.mappings),
  };
}

/** The whole service in one document: accounts, and which credential generation each of their references means (con:SCG-F). */
export const serviceConfiguration = documentKind<ServiceConfiguration>({
  name: 'service configuration',
  separator: 'nexuscrm.connector-service-configuration.v1',
  shape: serviceConfigurationShape,
  arrange: (configuration) => ({
    ...configuration,
    accounts: inKeyOrder(configuration.accounts, ({ account }) => [account]).map(arrangeAccount),
    // Keyed by account and reference, so that a second meaning of one reference is refused here.
    credential_relation: inKeyOrder(configuration.credential_relation, (entry) => [entry.account, entry.credential_ref]),
  }),
});

const serviceConfigurationReceiptShape = closed({
  receipt_protocol: oneOf('nexuscrm.connector-service-configuration-receipt/v1'),
  generation_id: UUID,
  generation_digest: DIGEST,
});
export type ServiceConfigurationReceipt = TypeOf<typeof serviceConfigurationReceiptShape>;
export const serviceConfigurationReceipt = documentKind<ServiceConfigurationReceipt>({
  name: 'service configuration receipt',
  separator: 'nexuscrm.connector-service-configuration-receipt.v1',
  shape: serviceConfigurationReceiptShape,
});
