/** Frozen: what revision 1 made for this area. */
export const inbound = [
  `CREATE TABLE IF NOT EXISTS con_admission_key (
  account VARBINARY(127) NOT NULL,
  channel VARBINARY(63) NOT NULL,
  transport_key VARBINARY(255) NOT NULL,
  payload_digest BINARY(32) NOT NULL,
  receipt_id BINARY(16) NOT NULL,
  PRIMARY KEY (account, channel, transport_key) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS con_receipt (
  receipt_id BINARY(16) NOT NULL,
  account VARBINARY(127) NOT NULL,
  channel VARBINARY(63) NOT NULL,
  transport_key VARBINARY(255) NOT NULL,
  epoch_id BINARY(16) NOT NULL,
  epoch_digest BINARY(32) NOT NULL,
  digest_profile VARBINARY(64) NOT NULL,
  payload MEDIUMBLOB NOT NULL,
  payload_digest BINARY(32) NOT NULL,
  key_version INT UNSIGNED NOT NULL,
  admitted_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (receipt_id) /*T![clustered_index] CLUSTERED */,
  KEY k_by_account (account, admitted_at)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS con_materialization (
  receipt_id BINARY(16) NOT NULL,
  account VARBINARY(127) NOT NULL,
  ready_account VARBINARY(127) NULL,
  next_ordinal INT UNSIGNED NOT NULL,
  since DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (receipt_id) /*T![clustered_index] CLUSTERED */,
  KEY k_ready (ready_account, receipt_id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS con_component (
  receipt_id BINARY(16) NOT NULL,
  ordinal INT UNSIGNED NOT NULL,
  item MEDIUMBLOB NOT NULL,
  component_digest BINARY(32) NOT NULL,
  event_id BINARY(16) NOT NULL,
  PRIMARY KEY (receipt_id, ordinal) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS con_component_refusal (
  receipt_id BINARY(16) NOT NULL,
  ordinal INT UNSIGNED NOT NULL,
  account VARBINARY(127) NOT NULL,
  code VARBINARY(64) NOT NULL,
  message VARBINARY(512) NOT NULL,
  refused_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (receipt_id, ordinal) /*T![clustered_index] CLUSTERED */,
  KEY k_by_account (account, refused_at)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS con_event (
  event_id BINARY(16) NOT NULL,
  account VARBINARY(127) NOT NULL,
  source_event_key VARBINARY(512) NOT NULL,
  kind VARBINARY(128) NOT NULL,
  receipt_id BINARY(16) NOT NULL,
  ordinal INT UNSIGNED NOT NULL,
  item_digest BINARY(32) NOT NULL,
  occurred_at VARBINARY(40) NULL,
  ordering_contract_digest BINARY(32) NOT NULL,
  ordering_partition VARBINARY(255) NULL,
  source_position VARBINARY(64) NULL,
  epoch_id BINARY(16) NOT NULL,
  recorded_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (event_id) /*T![clustered_index] CLUSTERED */,
  UNIQUE KEY u_live (account, source_event_key)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS con_projection (
  projection_id BINARY(16) NOT NULL,
  account VARBINARY(127) NOT NULL,
  event_id BINARY(16) NOT NULL,
  route_identity BINARY(32) NOT NULL,
  epoch_id BINARY(16) NOT NULL,
  epoch_digest BINARY(32) NOT NULL,
  input MEDIUMBLOB NOT NULL,
  input_digest BINARY(32) NOT NULL,
  derived_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (projection_id) /*T![clustered_index] CLUSTERED */,
  KEY k_by_event (event_id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
];
