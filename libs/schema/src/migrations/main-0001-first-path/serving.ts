/** Frozen: what revision 1 made for this area. */
export const serving = [
  `CREATE TABLE IF NOT EXISTS con_service (
  service_key VARBINARY(16) NOT NULL,
  revision BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (service_key) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS con_serving_gate (
  account VARBINARY(127) NOT NULL,
  account_prefix BINARY(4) NOT NULL,
  mode VARBINARY(16) NOT NULL,
  fence BIGINT UNSIGNED NOT NULL,
  epoch_id BINARY(16) NOT NULL,
  epoch_digest BINARY(32) NOT NULL,
  changed_operation BINARY(16) NOT NULL,
  changed_by VARBINARY(128) NOT NULL,
  reason VARBINARY(512) NOT NULL,
  changed_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (account) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS con_epoch (
  epoch_id BINARY(16) NOT NULL,
  epoch_digest BINARY(32) NOT NULL,
  state VARBINARY(16) NOT NULL,
  changed_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (epoch_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS con_epoch_content (
  epoch_id BINARY(16) NOT NULL,
  epoch_digest BINARY(32) NOT NULL,
  digest_profile VARBINARY(64) NOT NULL,
  serving_scope BINARY(32) NOT NULL,
  organization_id VARBINARY(64) NOT NULL,
  app_installation_id VARBINARY(64) NOT NULL,
  authorized_workload_id VARBINARY(128) NOT NULL,
  lineage_id VARBINARY(64) NOT NULL,
  catalog_revision BIGINT UNSIGNED NOT NULL,
  activation_epoch BIGINT UNSIGNED NOT NULL,
  source_snapshot_digest BINARY(32) NOT NULL,
  view_digest BINARY(32) NOT NULL,
  view_receipt_protocol VARBINARY(64) NOT NULL,
  security_epoch VARBINARY(32) NOT NULL,
  capability_version VARBINARY(32) NOT NULL,
  configuration_protocol VARBINARY(64) NOT NULL,
  configuration_receipt_protocol VARBINARY(64) NOT NULL,
  configuration_id BINARY(16) NOT NULL,
  configuration_digest BINARY(32) NOT NULL,
  configuration_receipt VARBINARY(1024) NOT NULL,
  configuration_receipt_digest BINARY(32) NOT NULL,
  binding_count INT UNSIGNED NOT NULL,
  credential_count INT UNSIGNED NOT NULL,
  prepared_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (epoch_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS con_epoch_binding (
  epoch_id BINARY(16) NOT NULL,
  ordinal INT UNSIGNED NOT NULL,
  row_id BINARY(16) NOT NULL,
  binding_identity BINARY(32) NOT NULL,
  kind VARBINARY(32) NOT NULL,
  owner_pack VARBINARY(128) NOT NULL,
  pack_installation_id VARBINARY(64) NOT NULL,
  pack_payload_digest BINARY(32) NOT NULL,
  business_key VARBINARY(128) NOT NULL,
  definition_version VARBINARY(32) NOT NULL,
  credential_refs VARBINARY(2048) NOT NULL,
  runtime_definition_id VARBINARY(128) NULL,
  runtime_definition_version VARBINARY(32) NULL,
  pack_generation_storage_id VARBINARY(64) NOT NULL,
  definition_envelope_version VARBINARY(16) NOT NULL,
  definition_receipt_version VARBINARY(16) NOT NULL,
  definition_digest BINARY(32) NOT NULL,
  definition_receipt VARBINARY(4096) NOT NULL,
  definition_receipt_digest BINARY(32) NOT NULL,
  PRIMARY KEY (epoch_id, ordinal) /*T![clustered_index] CLUSTERED */,
  UNIQUE KEY u_identity (epoch_id, binding_identity)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS con_epoch_credential (
  epoch_id BINARY(16) NOT NULL,
  ordinal INT UNSIGNED NOT NULL,
  generation_id BINARY(16) NOT NULL,
  receipt_protocol VARBINARY(64) NOT NULL,
  transport_digest BINARY(32) NOT NULL,
  receipt VARBINARY(4096) NOT NULL,
  receipt_digest BINARY(32) NOT NULL,
  PRIMARY KEY (epoch_id, ordinal) /*T![clustered_index] CLUSTERED */,
  UNIQUE KEY u_generation (epoch_id, generation_id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS con_epoch_verification (
  epoch_id BINARY(16) NOT NULL,
  operation_id BINARY(16) NOT NULL,
  verdict VARBINARY(16) NOT NULL,
  evidence VARBINARY(60000) NOT NULL,
  decided_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (epoch_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS con_genesis_certificate (
  service_key VARBINARY(16) NOT NULL,
  certificate_id BINARY(16) NOT NULL,
  operation_id BINARY(16) NOT NULL,
  epoch_id BINARY(16) NOT NULL,
  epoch_digest BINARY(32) NOT NULL,
  account_set_digest BINARY(32) NOT NULL,
  accounts VARBINARY(60000) NOT NULL,
  requested_by VARBINARY(128) NOT NULL,
  reason VARBINARY(512) NOT NULL,
  capacity VARBINARY(128) NOT NULL,
  issued_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (service_key) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS con_credential_gate (
  generation_id BINARY(16) NOT NULL,
  mode VARBINARY(16) NOT NULL,
  fence BIGINT UNSIGNED NOT NULL,
  changed_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (generation_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS con_channel_key_gate (
  account VARBINARY(127) NOT NULL,
  channel VARBINARY(63) NOT NULL,
  fence BIGINT UNSIGNED NOT NULL,
  changed_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (account, channel) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS con_operation (
  operation_id BINARY(16) NOT NULL,
  door VARBINARY(64) NOT NULL,
  answer VARBINARY(4096) NOT NULL,
  at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (operation_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS con_account_work (
  stage VARBINARY(16) NOT NULL,
  account VARBINARY(127) NOT NULL,
  produced BIGINT UNSIGNED NOT NULL,
  due_at DATETIME(6) NULL,
  PRIMARY KEY (stage, account) /*T![clustered_index] CLUSTERED */,
  KEY k_due (stage, due_at)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS con_audit_outbox (
  audit_id BINARY(16) NOT NULL,
  door VARBINARY(64) NOT NULL,
  account VARBINARY(127) NOT NULL,
  items MEDIUMBLOB NOT NULL,
  at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (audit_id) /*T![clustered_index] CLUSTERED */,
  KEY k_by_account (account, at)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
];
