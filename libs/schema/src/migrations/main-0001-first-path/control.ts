/** Frozen: what revision 1 made for this area. */
export const control = [
  `CREATE TABLE IF NOT EXISTS ctl_service_configuration (
  generation_id BINARY(16) NOT NULL,
  generation_digest BINARY(32) NOT NULL,
  document MEDIUMBLOB NOT NULL,
  receipt VARBINARY(1024) NOT NULL,
  receipt_digest BINARY(32) NOT NULL,
  authored_by VARBINARY(128) NOT NULL,
  authored_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (generation_id) /*T![clustered_index] CLUSTERED */,
  UNIQUE KEY u_digest (generation_digest)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS ctl_credential_generation (
  generation_id BINARY(16) NOT NULL,
  credential_identity VARBINARY(128) NOT NULL,
  provider VARBINARY(128) NOT NULL,
  account VARBINARY(127) NOT NULL,
  secret_path VARBINARY(255) NOT NULL,
  secret_version VARBINARY(64) NOT NULL,
  transport VARBINARY(4096) NOT NULL,
  transport_digest BINARY(32) NOT NULL,
  receipt VARBINARY(4096) NOT NULL,
  receipt_digest BINARY(32) NOT NULL,
  authored_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (generation_id) /*T![clustered_index] CLUSTERED */,
  UNIQUE KEY u_secret (account, credential_identity, secret_version)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS ctl_secret_use (
  secret_path VARBINARY(255) NOT NULL,
  secret_version VARBINARY(64) NOT NULL,
  used_as VARBINARY(16) NOT NULL,
  first_used_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (secret_path, secret_version) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS ctl_channel_key_set (
  account VARBINARY(127) NOT NULL,
  channel VARBINARY(63) NOT NULL,
  revision BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (account, channel) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS ctl_channel_key (
  account VARBINARY(127) NOT NULL,
  channel VARBINARY(63) NOT NULL,
  key_version INT UNSIGNED NOT NULL,
  scheme VARBINARY(32) NOT NULL,
  secret_path VARBINARY(255) NOT NULL,
  secret_version VARBINARY(64) NOT NULL,
  added_revision BIGINT UNSIGNED NOT NULL,
  ends_at DATETIME(6) NULL,
  added_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (account, channel, key_version) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS ctl_channel_key_retirement (
  account VARBINARY(127) NOT NULL,
  channel VARBINARY(63) NOT NULL,
  key_version INT UNSIGNED NOT NULL,
  retired_revision BIGINT UNSIGNED NOT NULL,
  reason VARBINARY(512) NOT NULL,
  retired_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (account, channel, key_version) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS ctl_termination (
  generation_id BINARY(16) NOT NULL,
  termination_id BINARY(16) NOT NULL,
  service VARBINARY(32) NOT NULL,
  supervisor VARBINARY(128) NOT NULL,
  evidence VARBINARY(4096) NOT NULL,
  recorded_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (generation_id) /*T![clustered_index] CLUSTERED */,
  UNIQUE KEY u_id (termination_id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS ctl_isolation (
  generation_id BINARY(16) NOT NULL,
  isolation_id BINARY(16) NOT NULL,
  controller VARBINARY(128) NOT NULL,
  evidence VARBINARY(4096) NOT NULL,
  recorded_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (generation_id) /*T![clustered_index] CLUSTERED */,
  UNIQUE KEY u_id (isolation_id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
];
