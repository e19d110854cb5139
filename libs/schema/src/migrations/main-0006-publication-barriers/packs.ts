/** Frozen: what revision 6 made for this area; every organization that has a pack gets its row. */
export const packs: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS pck_publication_barrier (
  organization_id VARBINARY(64) NOT NULL,
  state VARBINARY(8) NOT NULL,
  barrier_fence BIGINT UNSIGNED NOT NULL,
  holder_fence BIGINT UNSIGNED NOT NULL,
  attempt_id BINARY(16) NULL,
  receipt MEDIUMBLOB NULL,
  PRIMARY KEY (organization_id) /*T![clustered_index] CLUSTERED */,
  KEY k_attempt (attempt_id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `INSERT INTO pck_publication_barrier (organization_id, state, barrier_fence, holder_fence)
SELECT DISTINCT i.organization_id, 'open', 0, 0 FROM pck_installation i
 WHERE NOT EXISTS (SELECT 1 FROM pck_publication_barrier b WHERE b.organization_id = i.organization_id)`,
];
