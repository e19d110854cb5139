/** Frozen: what revision 4 made for this area. One column or table a statement, so that each may be run again. */
export const runtime = [
  `ALTER TABLE run_command ADD COLUMN IF NOT EXISTS accepted_by BINARY(16) NULL`,
  `CREATE TABLE IF NOT EXISTS run_command_start (
  command_id BINARY(16) NOT NULL,
  starts INT UNSIGNED NOT NULL,
  started_by BINARY(16) NULL,
  PRIMARY KEY (command_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
];
