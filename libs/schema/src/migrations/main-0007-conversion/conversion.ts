/** Frozen: what revision 7 made for this area. */
export const conversion: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS cat_conversion (
  organization_id VARBINARY(64) NOT NULL,
  attempt_id BINARY(16) NOT NULL,
  pack_install_id VARBINARY(128) NOT NULL,
  applied_payload_hash BINARY(32) NOT NULL,
  app_id VARBINARY(128) NOT NULL,
  app_release_digest BINARY(32) NOT NULL,
  conversion_key BINARY(32) NULL,
  converted_app_id VARBINARY(128) NULL,
  converted_source BINARY(32) NULL,
  app_installation_id VARBINARY(64) NULL,
  entry MEDIUMBLOB NOT NULL,
  caller VARBINARY(64) NOT NULL,
  at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (organization_id, attempt_id) /*T![clustered_index] CLUSTERED */,
  UNIQUE KEY u_conversion (organization_id, conversion_key),
  UNIQUE KEY u_target (organization_id, converted_app_id),
  UNIQUE KEY u_source (organization_id, converted_source)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_legacy_reader (
  organization_id VARBINARY(64) NOT NULL,
  app_id VARBINARY(128) NOT NULL,
  reader_id VARBINARY(128) NOT NULL,
  kind VARBINARY(32) NOT NULL,
  capability_id VARBINARY(128) NOT NULL,
  open_app_id VARBINARY(128) NULL,
  named_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (organization_id, app_id, reader_id) /*T![clustered_index] CLUSTERED */,
  KEY k_open (organization_id, open_app_id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS cat_legacy_deletion (
  organization_id VARBINARY(64) NOT NULL,
  app_id VARBINARY(128) NOT NULL,
  entry MEDIUMBLOB NOT NULL,
  decided_by VARBINARY(64) NOT NULL,
  decided_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (organization_id, app_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
];
