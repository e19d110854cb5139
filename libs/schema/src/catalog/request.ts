import { born, bytes, digest, id, name, word } from '@connector/kernel/column';
import { AuditId } from '@connector/kernel/ids';
import { table } from '@connector/kernel/table';

/** decisions 12.7: one row a request that wrote something, in the same commit. */
export const catRequest = table('cat_request', {
  about: 'What a caller asked under a key of its own, and what it was answered.',
  rank: null,
  columns: {
    caller: name(64),
    request_key: name(128),
    door: word(64),
    request_digest: digest(),
    answer: bytes(16_384),
    answered_at: born(),
  },
  primary: ['caller', 'request_key'],
});

/** cat:A-47: one row a door that wrote something, in the same commit. Nothing reads it to decide. */
export const catAudit = table('cat_audit', {
  about: 'What every door of the catalog did, for people.',
  rank: null,
  columns: { audit_id: id(AuditId), door: word(64), caller: name(64), subject: name(256), details: bytes(16_384), at: born() },
  primary: ['audit_id'],
  index: { by_subject: ['subject', 'at'] },
});
