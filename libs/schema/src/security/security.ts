import { born, bytes, digest, id, name, nullable, u64 } from '@connector/kernel/column';
import { OperationId } from '@connector/kernel/ids';
import { table } from '@connector/kernel/table';

/** cat:SEC-05: the writer fence of one organization. Whoever first writes for it makes the row, at epoch 0. */
export const secHead = table('sec_head', {
  about: 'The security epoch of an organization, and what stands at it.',
  rank: 'security-head',
  columns: {
    organization_id: name(64),
    security_epoch: u64(),
    /** NULL at epoch 0, where nothing was projected. */
    projection_digest: nullable(digest()),
    other_inputs_digest: digest(),
  },
  primary: ['organization_id'],
});

/** cat:SEC-06: the complete projection, whole at every epoch, with the documents it was made of and the binding that attests it. */
export const secProjection = table('sec_projection', {
  about: 'The security projection of an organization at one epoch, immutable.',
  rank: null,
  columns: {
    organization_id: name(64),
    security_epoch: u64(),
    projection: bytes(1_310_720),
    projection_digest: digest(),
    other_inputs: bytes(262_144),
    binding: bytes(2048),
    binding_digest: digest(),
    bound_at: born(),
  },
  primary: ['organization_id', 'security_epoch'],
});

/** cat:SEC-07, cat:SEC-08: which payload a command had, and the epoch that it was bound to; a refused command leaves nothing. */
export const secCommand = table('sec_command', {
  about: 'Commands that raised a security epoch.',
  rank: null,
  columns: { command_id: id(OperationId), organization_id: name(64), payload_digest: digest(), security_epoch: u64() },
  primary: ['command_id'],
});
