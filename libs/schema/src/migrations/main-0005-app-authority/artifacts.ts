/** Frozen: what revision 5 made for this area. */
export const artifacts: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS art_blob (
  component_digest BINARY(32) NOT NULL,
  component_kind VARBINARY(128) NOT NULL,
  format_version INT UNSIGNED NOT NULL,
  raw_sha256 BINARY(32) NOT NULL,
  bytes MEDIUMBLOB NOT NULL,
  stored_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (component_digest) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
];
