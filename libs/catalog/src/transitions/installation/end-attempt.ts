import { OperationId } from '@connector/kernel/ids';
import { invariant } from '@connector/kernel/faults';
import { readRows, updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catBindingState, catCandidate, catPublicationStep } from '@connector/schema/catalog/installations';
import type { LockedInstallation } from '../../fences/installation';
import { type LockedLineage, markClosed, markOpen } from '../../fences/lineage';
import type { OpenAttempt } from '../../model/installation/attempt';
import { candidateDocument } from '../../model/installation/candidate';
import { ENTRIES, mayHaveReached, type PublicationFailure } from '../../model/installation/publication';
import { withdrawalDocument } from '../../model/installation/withdrawal';
import { stagedBy } from './activate-bindings';
import { closeClaims } from './claims';
import { freezeWithdrawal, type SecurityBasis } from './freeze-withdrawal';
import { attemptKey, type JournalRow } from './journal';
import { readOrganization } from './organization';

export interface EndAttempt extends OpenAttempt {
  readonly code: PublicationFailure;
  readonly detail: string;
}

const CANDIDATE = readRows(
  catCandidate,
  ['kind', 'document', 'app_release_digest', 'expected_prior_epoch', 'other_inputs_digest'],
  'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND attempt = :attempt',
  'ending',
);
const FAIL_BINDINGS = updateRows(
  catBindingState,
  `SET state = 'FAILED' WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id
     AND binding_id IN (:binding_id) AND state = 'STAGED'`,
  'fail',
);

/** In these states an open attempt may be an abandonment. */
const ABANDONING: readonly string[] = ['UPGRADING', 'ROLLING_BACK', 'FAILED'];
export const isAbandoning = ({ state }: LockedInstallation): boolean => ABANDONING.includes(state);

export type EndingCandidate = ReturnType<typeof CANDIDATE.decode>;

export async function endingCandidate(tx: FencedTx, attempt: OpenAttempt): Promise<EndingCandidate> {
  const [candidate] = await tx.read(CANDIDATE, attemptKey(attempt.organization, attempt));
  invariant(candidate !== undefined, 'HOUSE:catalog:CandidateMissing', 'an open attempt has no candidate');
  return candidate;
}

export async function journalFailed(tx: FencedTx, failedFrom: string, { organization, code, detail, ...at }: EndAttempt): Promise<void> {
  const { bytes: entry } = ENTRIES.failed.build({ code, failed_from: failedFrom, detail });
  await tx.insert(catPublicationStep, [{ ...attemptKey(organization, at), step: 'failed', entry, document: null }]);
}

/** What the attempt left behind goes with it: its journal says why, its staged bindings fail, and what it claimed is free. */
export async function endAttempt(tx: FencedTx, candidate: EndingCandidate, failedFrom: string, input: EndAttempt): Promise<void> {
  await journalFailed(tx, failedFrom, input);
  if (candidate.kind === 'removal' || candidate.kind === 'abandonment') return;
  const { organization, installation, attempt } = input;
  const key = { organization_id: organization, app_installation_id: installation };
  const staged = stagedBy(candidateDocument.parse(candidate.document).value).map(({ binding_id: binding }) => binding);
  if (staged.length > 0) await tx.update(FAIL_BINDINGS, { ...key, binding_id: staged });
  await closeClaims(tx, input, (claim) => claim.attempt === attempt);
}

/**
 * Where Runtime may hold what the ended attempt asked for, or its command may still be on its way, the next attempt takes it back: a newer full
 * projection of what serves, under a command that follows the same epoch or the one that was acknowledged. So either it comes first and the old
 * command can never succeed, or it is stale and is superseded (cat:PUBL-11). The answer is what is open now; the lineage is left saying so.
 */
export async function takeBack(
  tx: FencedTx,
  lineage: LockedLineage,
  candidate: EndingCandidate,
  steps: ReadonlyMap<string, JournalRow>,
  input: EndAttempt,
): Promise<OpenAttempt | undefined> {
  await markClosed(tx, lineage, input);
  if (!mayHaveReached(new Set(steps.keys()), input.code)) return undefined;
  const acknowledged = steps.get('acknowledged');
  const securityEpoch =
    acknowledged === undefined
      ? candidate.expected_prior_epoch
      : BigInt(ENTRIES.acknowledged.parse(acknowledged.entry).value.security_epoch);
  return openAbandonment(tx, lineage, candidate, input, { securityEpoch, otherInputsDigest: candidate.other_inputs_digest });
}

/** The next attempt, of everything that serves now. The organization has no open publication. */
export async function openAbandonment(
  tx: FencedTx,
  lineage: LockedLineage,
  candidate: EndingCandidate,
  { organization, installation, attempt }: OpenAttempt,
  basis: SecurityBasis,
): Promise<OpenAttempt> {
  const next = { organization, installation, attempt: attempt + 1n };
  const { serving } = await readOrganization(tx, organization);
  await freezeWithdrawal(tx, {
    ...next,
    kind: 'abandonment',
    appId: appIdIn(candidate),
    appReleaseDigest: candidate.app_release_digest,
    // Of this run: an earlier run that landed has ended the attempt, and is answered from the journal.
    commandId: OperationId.mint(),
    basis,
    serving: serving.map((one) => one.candidate),
  });
  await markOpen(tx, lineage, next);
  return next;
}

function appIdIn({ kind, document }: EndingCandidate): string {
  const shape = kind === 'removal' || kind === 'abandonment' ? withdrawalDocument : candidateDocument;
  return shape.parse(document).value.app_id;
}
