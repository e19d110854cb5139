/** Frozen: what revision 2 changed in this area. */
export const inbound = [`ALTER TABLE con_receipt ADD COLUMN IF NOT EXISTS headers VARBINARY(8192) NULL`];
