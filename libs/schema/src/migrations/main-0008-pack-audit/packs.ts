/** Frozen: what revision 8 made for this area. */
export const packs: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS pck_audit (
  audit_id BINARY(16) NOT NULL,
  door VARBINARY(64) NOT NULL,
  caller VARBINARY(64) NOT NULL,
  subject VARBINARY(256) NOT NULL,
  details VARBINARY(16384) NOT NULL,
  at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (audit_id) /*T![clustered_index] CLUSTERED */,
  KEY k_by_subject (subject, at)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
];
