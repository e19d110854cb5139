import { closed, DECIMAL, DIGEST, oneOf, TEXT, type TypeOf, UUID7 } from '@connector/kernel/document-shape';
import { documentKind } from '@connector/kernel/document';

const withdrawalShape = closed({
  schema_version: oneOf('nexuscrm.app-installation-withdrawal/v1'),
  kind: oneOf('removal', 'abandonment'),
  organization_id: TEXT,
  app_installation_id: UUID7,
  attempt: DECIMAL,
  app_id: TEXT,
  /** What is withdrawn: the release that serves, or the candidate that was given up. */
  app_release_digest: DIGEST,
});
export type Withdrawal = TypeOf<typeof withdrawalShape>;

/**
 * The candidate of an attempt that makes nothing ACTIVE. Nothing is chosen in it and nothing compiled from it, so it is its own projection: what
 * step 2 makes of it is it. The separator is ours.
 */
export const withdrawalDocument = documentKind<Withdrawal>({
  name: 'withdrawal',
  separator: 'nexuscrm.app-installation-withdrawal.v1',
  shape: withdrawalShape,
});
