import type { DbRole } from '@connector/kernel/roles';

/** What every service reads that works on an epoch: its frozen content, the configuration and the definitions that it names. */
const EPOCH = [
  'con_epoch',
  'con_epoch_content',
  'con_epoch_binding',
  'con_epoch_credential',
  'ctl_service_configuration',
  'pck_definition',
  'pck_generation',
  'pck_installation',
] as const;

/**
 * Tables that a database user reads outside the doors that it opens: for candidates, for frozen facts, for people. A test follows the imports
 * of every service to `reads/` and compares.
 */
export const PLAIN_READS: Readonly<Record<DbRole, readonly string[]>> = {
  ingress: EPOCH,
  claimant: EPOCH,
  runtime: EPOCH,
  dispatcher: EPOCH,
  egress: EPOCH,
  coordinator: [],
  verifier: [],
  control: [],
  catalog: [],
  packs: [],
  operator: [],
};
