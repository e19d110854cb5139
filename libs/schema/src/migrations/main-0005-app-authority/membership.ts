/** Frozen: what revision 5 made for this area. */
export const membership: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS cat_membership_head (
  organization_id VARBINARY(64) NOT NULL,
  app_installation_id VARBINARY(64) NOT NULL,
  authorized_workload_id VARBINARY(128) NOT NULL,
  catalog_revision BIGINT UNSIGNED NOT NULL,
  membership_digest BINARY(32) NOT NULL,
  PRIMARY KEY (organization_id, app_installation_id, authorized_workload_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_authorized_binding (
  organization_id VARBINARY(64) NOT NULL,
  app_installation_id VARBINARY(64) NOT NULL,
  authorized_workload_id VARBINARY(128) NOT NULL,
  catalog_revision BIGINT UNSIGNED NOT NULL,
  ordinal INT UNSIGNED NOT NULL,
  kind VARBINARY(32) NOT NULL,
  owner_pack VARBINARY(128) NOT NULL,
  pack_installation_id VARBINARY(64) NOT NULL,
  pack_payload_digest BINARY(32) NOT NULL,
  business_key VARBINARY(128) NOT NULL,
  definition_version VARBINARY(32) NOT NULL,
  credential_refs VARBINARY(2048) NOT NULL,
  runtime_definition_id VARBINARY(128) NULL,
  runtime_definition_version VARBINARY(32) NULL,
  PRIMARY KEY (organization_id, catalog_revision, ordinal) /*T![clustered_index] CLUSTERED */,
  KEY k_identity (organization_id, app_installation_id, authorized_workload_id, owner_pack, pack_installation_id, pack_payload_digest, kind, business_key, definition_version)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_integration_view (
  organization_id VARBINARY(64) NOT NULL,
  app_installation_id VARBINARY(64) NOT NULL,
  authorized_workload_id VARBINARY(128) NOT NULL,
  lineage_id VARBINARY(64) NOT NULL,
  catalog_revision BIGINT UNSIGNED NOT NULL,
  source_snapshot MEDIUMBLOB NOT NULL,
  source_snapshot_digest BINARY(32) NOT NULL,
  view MEDIUMBLOB NOT NULL,
  view_digest BINARY(32) NOT NULL,
  capability_version BIGINT UNSIGNED NOT NULL,
  published_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (organization_id, app_installation_id, authorized_workload_id, lineage_id, catalog_revision) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_view_current (
  organization_id VARBINARY(64) NOT NULL,
  app_installation_id VARBINARY(64) NOT NULL,
  authorized_workload_id VARBINARY(128) NOT NULL,
  lineage_id VARBINARY(64) NOT NULL,
  catalog_revision BIGINT UNSIGNED NOT NULL,
  activation_epoch BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (organization_id, app_installation_id, authorized_workload_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  // Nothing serves from an interim view: epochs froze what it said. A new candidate finds none until an App is installed.
  `DROP TABLE IF EXISTS cat_interim_view`,
];
