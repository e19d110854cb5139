import { closed, DECIMAL, DIGEST, HEX16, listOf, oneOf, TEXT, type TypeOf } from '@connector/kernel/document-shape';
import { documentKind } from '@connector/kernel/document';

/** Runtime's documents (digests.md 2). Command ids are 32 lower-case hex digits, versions decimal strings. */
const applicationResultShape = closed({
  outcome: oneOf('applied', 'noop', 'rejected', 'failed'),
  command_id: HEX16,
  execution_ref_digest: DIGEST,
  /** Logical-effect digests in the order in which the application authored them: a sequence, not a set. */
  outbound_commands: listOf(DIGEST, 1000),
  record_changes: listOf(closed({ collection: TEXT, key: TEXT, version: DECIMAL }), 1000),
});
export type ApplicationResult = TypeOf<typeof applicationResultShape>;
export const applicationResult = documentKind<ApplicationResult>({
  name: 'application result',
  separator: 'nexuscrm.runtime-application-result.v1',
  shape: applicationResultShape,
});

const commitReceiptShape = closed({
  receipt_protocol: oneOf('nexuscrm.runtime-commit-receipt/v1'),
  command_id: HEX16,
  execution_ref_digest: DIGEST,
  result_digest: DIGEST,
});
export type CommitReceipt = TypeOf<typeof commitReceiptShape>;
export const commitReceipt = documentKind<CommitReceipt>({
  name: 'commit receipt',
  separator: 'nexuscrm.runtime-commit-receipt.v1',
  shape: commitReceiptShape,
});
