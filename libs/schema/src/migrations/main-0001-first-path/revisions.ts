/** Frozen: what revision 1 made for this area. */
export const revisions = [
  `CREATE TABLE IF NOT EXISTS con_schema_revision (
  revision INT UNSIGNED NOT NULL,
  name VARBINARY(64) NOT NULL,
  breaking TINYINT UNSIGNED NOT NULL,
  checksum BINARY(32) NOT NULL,
  applied_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (revision) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
];
