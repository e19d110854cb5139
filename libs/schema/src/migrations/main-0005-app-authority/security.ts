/** Frozen: what revision 5 made for this area. */
export const security: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS sec_head (
  organization_id VARBINARY(64) NOT NULL,
  security_epoch BIGINT UNSIGNED NOT NULL,
  projection_digest BINARY(32) NULL,
  other_inputs_digest BINARY(32) NOT NULL,
  PRIMARY KEY (organization_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS sec_projection (
  organization_id VARBINARY(64) NOT NULL,
  security_epoch BIGINT UNSIGNED NOT NULL,
  projection MEDIUMBLOB NOT NULL,
  projection_digest BINARY(32) NOT NULL,
  other_inputs MEDIUMBLOB NOT NULL,
  binding VARBINARY(2048) NOT NULL,
  binding_digest BINARY(32) NOT NULL,
  bound_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (organization_id, security_epoch) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS sec_command (
  command_id BINARY(16) NOT NULL,
  organization_id VARBINARY(64) NOT NULL,
  payload_digest BINARY(32) NOT NULL,
  security_epoch BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (command_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
];
