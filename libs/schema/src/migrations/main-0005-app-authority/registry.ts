/** Frozen: what revision 5 made for this area. */
export const registry: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS cat_request (
  caller VARBINARY(64) NOT NULL,
  request_key VARBINARY(128) NOT NULL,
  door VARBINARY(64) NOT NULL,
  request_digest BINARY(32) NOT NULL,
  answer VARBINARY(16384) NOT NULL,
  answered_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (caller, request_key) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_audit (
  audit_id BINARY(16) NOT NULL,
  door VARBINARY(64) NOT NULL,
  caller VARBINARY(64) NOT NULL,
  subject VARBINARY(256) NOT NULL,
  details VARBINARY(16384) NOT NULL,
  at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (audit_id) /*T![clustered_index] CLUSTERED */,
  KEY k_by_subject (subject, at)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_publisher (
  publisher_id VARBINARY(128) NOT NULL,
  registered_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (publisher_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_publisher_prefix (
  publisher_id VARBINARY(128) NOT NULL,
  app_prefix VARBINARY(128) NOT NULL,
  PRIMARY KEY (publisher_id, app_prefix) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_publisher_key (
  key_id VARBINARY(128) NOT NULL,
  publisher_id VARBINARY(128) NOT NULL,
  public_key BINARY(32) NOT NULL,
  valid_from DATETIME(6) NOT NULL,
  valid_until DATETIME(6) NULL,
  added_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (key_id) /*T![clustered_index] CLUSTERED */,
  KEY k_by_publisher (publisher_id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_key_revocation (
  key_id VARBINARY(128) NOT NULL,
  reason VARBINARY(256) NOT NULL,
  revoked_by VARBINARY(64) NOT NULL,
  revoked_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (key_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_app (
  app_id VARBINARY(128) NOT NULL,
  first_publisher_id VARBINARY(128) NOT NULL,
  reserved_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (app_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_app_ownership (
  app_id VARBINARY(128) NOT NULL,
  publisher_id VARBINARY(128) NOT NULL,
  ownership_epoch BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (app_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_ownership_event (
  app_id VARBINARY(128) NOT NULL,
  ownership_epoch BIGINT UNSIGNED NOT NULL,
  kind VARBINARY(16) NOT NULL,
  old_publisher_id VARBINARY(128) NULL,
  new_publisher_id VARBINARY(128) NOT NULL,
  statement VARBINARY(8192) NULL,
  signature BINARY(64) NULL,
  accepted_by VARBINARY(64) NOT NULL,
  at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (app_id, ownership_epoch) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_transfer_offer (
  app_id VARBINARY(128) NOT NULL,
  statement_digest BINARY(32) NOT NULL,
  new_publisher_id VARBINARY(128) NOT NULL,
  ownership_epoch BIGINT UNSIGNED NOT NULL,
  key_id VARBINARY(128) NOT NULL,
  statement VARBINARY(8192) NOT NULL,
  signature BINARY(64) NOT NULL,
  offered_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (app_id, statement_digest) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_metadata_bundle (
  bundle_digest BINARY(32) NOT NULL,
  bytes MEDIUMBLOB NOT NULL,
  PRIMARY KEY (bundle_digest) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_app_release (
  app_id VARBINARY(128) NOT NULL,
  release_digest BINARY(32) NOT NULL,
  semantic_version VARBINARY(128) NOT NULL,
  bundle_digest BINARY(32) NOT NULL,
  manifest MEDIUMBLOB NOT NULL,
  publisher_id VARBINARY(128) NOT NULL,
  ownership_epoch BIGINT UNSIGNED NOT NULL,
  key_id VARBINARY(128) NOT NULL,
  attestation VARBINARY(8192) NOT NULL,
  signature BINARY(64) NOT NULL,
  registered_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (app_id, release_digest) /*T![clustered_index] CLUSTERED */,
  UNIQUE KEY u_version (app_id, semantic_version)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_release_dependency (
  app_id VARBINARY(128) NOT NULL,
  release_digest BINARY(32) NOT NULL,
  dependency_app_id VARBINARY(128) NOT NULL,
  PRIMARY KEY (app_id, release_digest, dependency_app_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_release_block (
  app_id VARBINARY(128) NOT NULL,
  release_digest BINARY(32) NOT NULL,
  reason VARBINARY(256) NOT NULL,
  blocked_by VARBINARY(64) NOT NULL,
  blocked_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (app_id, release_digest) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_component_owner (
  component_id BINARY(32) NOT NULL,
  app_id VARBINARY(128) NOT NULL,
  PRIMARY KEY (component_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_capability_owner (
  capability_id VARBINARY(128) NOT NULL,
  app_id VARBINARY(128) NOT NULL,
  PRIMARY KEY (capability_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_slot_reservation (
  app_id VARBINARY(128) NOT NULL,
  local_component_key VARBINARY(71) NOT NULL,
  declaration_component_id BINARY(32) NOT NULL,
  namespace_id VARBINARY(128) NOT NULL,
  PRIMARY KEY (app_id, local_component_key) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_slot_revision (
  app_id VARBINARY(128) NOT NULL,
  local_component_key VARBINARY(71) NOT NULL,
  definition_version INT UNSIGNED NOT NULL,
  revision_digest BINARY(32) NOT NULL,
  target_component_id BINARY(32) NOT NULL,
  previous_target_component_id BINARY(32) NULL,
  PRIMARY KEY (app_id, local_component_key, definition_version) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_slot_head (
  app_id VARBINARY(128) NOT NULL,
  local_component_key VARBINARY(71) NOT NULL,
  head_definition_version INT UNSIGNED NOT NULL,
  head_revision_digest BINARY(32) NOT NULL,
  PRIMARY KEY (app_id, local_component_key) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_slot_release_version (
  app_id VARBINARY(128) NOT NULL,
  release_digest BINARY(32) NOT NULL,
  local_component_key VARBINARY(71) NOT NULL,
  definition_version INT UNSIGNED NOT NULL,
  PRIMARY KEY (app_id, release_digest, local_component_key) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
];
