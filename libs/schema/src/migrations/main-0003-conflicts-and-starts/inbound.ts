/** Frozen: what revision 3 made for this area. */
export const inbound = [
  `CREATE TABLE IF NOT EXISTS con_conflicting_redelivery (
  receipt_id BINARY(16) NOT NULL,
  payload_digest BINARY(32) NOT NULL,
  payload_bytes INT UNSIGNED NOT NULL,
  key_version INT UNSIGNED NOT NULL,
  first_seen_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (receipt_id, payload_digest) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
];
