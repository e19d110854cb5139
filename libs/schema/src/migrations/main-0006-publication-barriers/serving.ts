/** Frozen: what revision 6 changed in this area. One column a statement, so that each may be run again. */
export const serving: readonly string[] = [
  `ALTER TABLE con_service ADD COLUMN IF NOT EXISTS holder_fence BIGINT UNSIGNED NULL`,
  `ALTER TABLE con_genesis_certificate ADD COLUMN IF NOT EXISTS catalog_barrier VARBINARY(2048) NULL`,
  `ALTER TABLE con_genesis_certificate ADD COLUMN IF NOT EXISTS packs_barrier MEDIUMBLOB NULL`,
];
