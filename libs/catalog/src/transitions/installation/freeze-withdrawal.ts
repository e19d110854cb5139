import type { Digest } from '@connector/kernel/digest';
import type { OperationId } from '@connector/kernel/ids';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catCandidate, catPublicationStep } from '@connector/schema/catalog/installations';
import { projectionOf } from '@connector/security/contract/projection';
import type { OpenAttempt } from '../../model/installation/attempt';
import type { Candidate } from '../../model/installation/candidate';
import { ENTRIES } from '../../model/installation/publication';
import { type Withdrawal, withdrawalDocument } from '../../model/installation/withdrawal';
import { grantsOf } from './organization';

/** The head of Runtime security that a command follows; a command that follows another can never succeed (cat:A-31). */
export interface SecurityBasis {
  readonly securityEpoch: bigint;
  readonly otherInputsDigest: Digest;
}

export interface Withdraw extends OpenAttempt {
  readonly kind: Withdrawal['kind'];
  readonly appId: string;
  readonly appReleaseDigest: Digest;
  readonly commandId: OperationId;
  readonly basis: SecurityBasis;
  /** Everything that shall serve in the organization afterwards. */
  readonly serving: readonly Candidate[];
}

/** Step 1 of an attempt that makes nothing ACTIVE: the newer full projection without what is withdrawn, and its command (cat:PUBL-01, cat:PUBL-11). */
export async function freezeWithdrawal(tx: FencedTx, input: Withdraw): Promise<void> {
  const { organization, installation, attempt, kind, appReleaseDigest, commandId, basis } = input;
  const document = withdrawalDocument.build({
    schema_version: 'nexuscrm.app-installation-withdrawal/v1',
    kind,
    organization_id: organization,
    app_installation_id: installation,
    attempt: attempt.toString(),
    app_id: input.appId,
    app_release_digest: appReleaseDigest,
  });
  const grants = grantsOf(organization, input.serving);
  const key = { organization_id: organization, app_installation_id: installation, attempt };
  await tx.insert(catCandidate, [
    {
      ...key,
      kind,
      app_release_digest: appReleaseDigest,
      document: document.bytes,
      document_digest: document.digest,
      tuple_digest: document.digest,
      command_id: commandId,
      expected_prior_epoch: basis.securityEpoch,
      other_inputs_digest: basis.otherInputsDigest,
      app_grants: grants.bytes,
      projection_digest: projectionOf(grants.bytes, basis.otherInputsDigest).digest,
    },
  ]);
  const { bytes: entry } = ENTRIES.opened.build({
    candidate_digest: document.digest,
    expected_prior_epoch: basis.securityEpoch.toString(),
    command_id: commandId,
  });
  await tx.insert(catPublicationStep, [{ ...key, step: 'opened', entry, document: null }]);
}
