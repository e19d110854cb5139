/** Frozen: what revision 3 changed in this area. One column a statement, so that each may be run again. */
export const runtime = [
  `ALTER TABLE run_application_result ADD COLUMN IF NOT EXISTS reason VARBINARY(32) NULL AFTER outcome`,
  `ALTER TABLE run_application_result ADD COLUMN IF NOT EXISTS detail VARBINARY(512) NULL AFTER reason`,
];
