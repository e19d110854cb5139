/** Frozen: what revision 2 made for this area. */
export const control = [
  `CREATE TABLE IF NOT EXISTS ctl_credential_decision (
  generation_id BINARY(16) NOT NULL,
  fence BIGINT UNSIGNED NOT NULL,
  verb VARBINARY(16) NOT NULL,
  final TINYINT UNSIGNED NOT NULL,
  operation_id BINARY(16) NOT NULL,
  account VARBINARY(127) NOT NULL,
  decided_by VARBINARY(128) NOT NULL,
  reason VARBINARY(512) NOT NULL,
  decided_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (generation_id, fence) /*T![clustered_index] CLUSTERED */,
  UNIQUE KEY u_operation (operation_id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
];
