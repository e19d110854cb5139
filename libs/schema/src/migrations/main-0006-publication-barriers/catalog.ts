/** Frozen: what revision 6 made for this area; every installation that there is gets its row. */
export const catalog: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS cat_publication_barrier (
  organization_id VARBINARY(64) NOT NULL,
  app_installation_id VARBINARY(64) NOT NULL,
  state VARBINARY(8) NOT NULL,
  barrier_fence BIGINT UNSIGNED NOT NULL,
  holder_fence BIGINT UNSIGNED NOT NULL,
  attempt_id BINARY(16) NULL,
  receipt VARBINARY(2048) NULL,
  PRIMARY KEY (organization_id, app_installation_id) /*T![clustered_index] CLUSTERED */,
  KEY k_attempt (attempt_id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `INSERT INTO cat_publication_barrier (organization_id, app_installation_id, state, barrier_fence, holder_fence)
SELECT i.organization_id, i.app_installation_id, 'open', 0, 0 FROM cat_installation i
 WHERE NOT EXISTS (SELECT 1 FROM cat_publication_barrier b
                    WHERE b.organization_id = i.organization_id AND b.app_installation_id = i.app_installation_id)`,
];
