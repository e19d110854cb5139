/** Frozen: what revision 1 made for this area. */
export const journal = [
  `CREATE TABLE IF NOT EXISTS jrn_service (
  service_key VARBINARY(16) NOT NULL,
  predecessor VARBINARY(32) NOT NULL,
  declared_by VARBINARY(128) NOT NULL,
  declared_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (service_key) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS jrn_genesis_intent (
  service_key VARBINARY(16) NOT NULL,
  attempt_id BINARY(16) NOT NULL,
  epoch_id BINARY(16) NOT NULL,
  epoch_digest BINARY(32) NOT NULL,
  recorded_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (service_key) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS jrn_genesis_commit (
  service_key VARBINARY(16) NOT NULL,
  attempt_id BINARY(16) NOT NULL,
  epoch_digest BINARY(32) NOT NULL,
  recorded_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (service_key) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
];
