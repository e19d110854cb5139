/** Frozen: what revision 1 made for this area. */
export const catalog = [
  `CREATE TABLE IF NOT EXISTS cat_interim_view (
  organization_id VARBINARY(64) NOT NULL,
  app_installation_id VARBINARY(64) NOT NULL,
  authorized_workload_id VARBINARY(128) NOT NULL,
  catalog_revision BIGINT UNSIGNED NOT NULL,
  source_snapshot MEDIUMBLOB NOT NULL,
  source_snapshot_digest BINARY(32) NOT NULL,
  view MEDIUMBLOB NOT NULL,
  view_digest BINARY(32) NOT NULL,
  receipt VARBINARY(4096) NOT NULL,
  receipt_digest BINARY(32) NOT NULL,
  set_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (organization_id, app_installation_id, authorized_workload_id, catalog_revision) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
];
