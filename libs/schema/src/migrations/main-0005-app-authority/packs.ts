/** Frozen: what revision 5 made for this area. */
export const packs: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS pck_epoch_pin (
  epoch_id BINARY(16) NOT NULL,
  epoch_digest BINARY(32) NOT NULL,
  pinned_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (epoch_id) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS pck_generation_pin (
  epoch_id BINARY(16) NOT NULL,
  storage_id VARBINARY(64) NOT NULL,
  PRIMARY KEY (epoch_id, storage_id) /*T![clustered_index] CLUSTERED */,
  KEY k_generation (storage_id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
];
