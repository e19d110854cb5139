/** Frozen: what revision 2 changed in this area. One column or key a statement, so that each may be run again. */
export const outbound = [
  `ALTER TABLE con_remote_effect ADD COLUMN IF NOT EXISTS uncertain_account VARBINARY(127) NULL`,
  `UPDATE con_remote_effect SET uncertain_account = account WHERE state = 'uncertain'`,
  `ALTER TABLE con_remote_effect ADD INDEX IF NOT EXISTS k_uncertain (uncertain_account, created_at)`,
];
