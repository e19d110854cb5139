import { Ajv } from 'ajv';
import {
  admitting,
  ANY_OBJECT,
  BINDING_KIND,
  closed,
  DECIMAL,
  DIGEST,
  listOf,
  oneOf,
  type Shape,
  TEXT,
  type TypeOf,
  UUID,
} from '@connector/kernel/document-shape';
import { parseStrict, STRICT_JSON_LIMITS } from '@connector/kernel/strict-json';

/**
 * The owners' documents as the connector reads them. It writes none of them: canonical form and digest are their owners', and a document
 * that is not of exactly this shape is of another protocol and is not understood.
 */
const ajv = new Ajv({ strict: true, ownProperties: true });

function reader<T>(shape: Shape<T>): (bytes: Buffer) => T | undefined {
  const admits = admitting(ajv, shape);
  return (bytes) => {
    const parsed = parseStrict(bytes, { ...STRICT_JSON_LIMITS, keys: 1_000_000 });
    return parsed.ok && admits(parsed.value) ? parsed.value : undefined;
  };
}

const lineage = closed({ lineage_id: TEXT, catalog_revision: DECIMAL, activation_epoch: DECIMAL });
const viewScope = { organization_id: TEXT, app_installation_id: TEXT, authorized_workload_id: TEXT };
const binding = closed(
  {
    kind: BINDING_KIND,
    owner_pack: TEXT,
    pack_installation_id: TEXT,
    pack_payload_digest: DIGEST,
    business_key: TEXT,
    definition_version: TEXT,
    credential_refs: listOf(TEXT, 100),
  },
  { runtime_command: closed({ definition_id: TEXT, definition_version: TEXT }) },
);
const view = closed({
  schema_version: oneOf('nexuscrm.integration-binding-view/v1'),
  ...viewScope,
  lineage,
  source_snapshot_digest: DIGEST,
  bindings: listOf(binding, 10_000),
});
const viewReceipt = closed({
  receipt_protocol: oneOf('nexuscrm.integration-binding-receipt/v1'),
  ...viewScope,
  lineage,
  source_snapshot_digest: DIGEST,
  view_digest: DIGEST,
  security_epoch: DECIMAL,
  capability_version: DECIMAL,
});
const definitionReceipt = closed({
  receipt_protocol: oneOf('nexuscrm.connector-definition-receipt/v1'),
  definition_envelope_version: TEXT,
  definition_receipt_version: TEXT,
  pack_generation_storage_id: TEXT,
  owner_pack: TEXT,
  pack_installation_id: TEXT,
  pack_payload_digest: DIGEST,
  kind: BINDING_KIND,
  business_key: TEXT,
  definition_version: TEXT,
  canonical_definition_digest: DIGEST,
});
const channel = closed({ channel: TEXT, scheme: TEXT, route: TEXT });
const account = closed({
  account: TEXT,
  provider_organization: TEXT,
  channels: listOf(channel, 100),
  routes: listOf(TEXT, 1000),
  mappings: listOf(TEXT, 1000),
  policies: ANY_OBJECT,
});
const configuration = closed({
  schema_version: oneOf('nexuscrm.connector-service-configuration/v1'),
  environment_id: TEXT,
  service_id: TEXT,
  accounts: listOf(account, 10_000),
  credential_relation: listOf(closed({ account: TEXT, credential_ref: TEXT, credential_generation_id: UUID }), 100_000),
});
const configurationReceipt = closed({
  receipt_protocol: oneOf('nexuscrm.connector-service-configuration-receipt/v1'),
  generation_id: UUID,
  generation_digest: DIGEST,
});
const credentialReceipt = closed({
  receipt_protocol: oneOf('nexuscrm.connector-credential-receipt/v1'),
  credential_generation_id: UUID,
  credential_identity: TEXT,
  provider: TEXT,
  account: TEXT,
  secret_version: TEXT,
  transport_configuration_digest: DIGEST,
});

export type ViewDocument = TypeOf<typeof view>;
export type ViewBinding = TypeOf<typeof binding>;
export type ViewReceipt = TypeOf<typeof viewReceipt>;
export type ConfigurationDocument = TypeOf<typeof configuration>;
export type AccountConfiguration = TypeOf<typeof account>;
export type CredentialReceipt = TypeOf<typeof credentialReceipt>;

export const readView = reader(view);
export const readViewReceipt = reader(viewReceipt);
export const readDefinitionReceipt = reader(definitionReceipt);
export const readConfiguration = reader(configuration);
export const readConfigurationReceipt = reader(configurationReceipt);
export const readCredentialReceipt = reader(credentialReceipt);
