import { born, bytes, id, word } from '@connector/kernel/column';
import { AuditId } from '@connector/kernel/ids';
import { table } from '@connector/kernel/table';
import { account } from './serving';

/** con:AUD-F: one row a door that moved a machine, in the same transaction (con:OPEN-36). Nothing reads it to decide (con:INV-17). */
export const conAuditOutbox = table('con_audit_outbox', {
  about: 'What every door moved, for people.',
  rank: null,
  columns: { audit_id: id(AuditId), door: word(64), account: account(), items: bytes(1_000_000), at: born() },
  primary: ['audit_id'],
  index: { by_account: ['account', 'at'] },
});
