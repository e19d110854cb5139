import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import { readRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catCandidate } from '@connector/schema/catalog/installations';
import type { OpenAttempt } from '../../model/installation/attempt';
import { ENTRIES, type NextStep, nextStep, STEPS } from '../../model/installation/publication';
import { type Withdrawal, withdrawalDocument } from '../../model/installation/withdrawal';
import { boundEpoch, type Disagreement } from './agreement';
import { attemptKey, type JournalRow, type readSteps, rowOf } from './journal';

const FROZEN = readRows(
  catCandidate,
  ['kind', 'document', 'document_digest', 'tuple_digest', 'command_id', 'expected_prior_epoch', 'projection_digest'],
  'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND attempt = :attempt',
  'withdrawal',
);

export interface AgreedWithdrawal {
  readonly kind: 'agreed';
  readonly digest: Digest;
  readonly projectionDigest: Digest;
  readonly securityEpoch: bigint;
}
export type WithdrawalDisagreement =
  | { readonly kind: 'disagrees'; readonly with: Disagreement }
  | { readonly kind: 'too-early'; readonly next: NextStep }
  /** The attempt is for something else, or it ended. */
  | { readonly kind: 'not-open' };

/** Whether everything before step 4 is there and is what step 1 said to expect; the attempt is the open one (cat:PUBL-07). */
export async function agreedWithdrawal(
  tx: FencedTx,
  steps: Awaited<ReturnType<typeof readSteps>>,
  attempt: OpenAttempt,
  kind: Withdrawal['kind'],
): Promise<AgreedWithdrawal | WithdrawalDisagreement> {
  const [frozen] = await tx.read(FROZEN, attemptKey(attempt.organization, attempt));
  invariant(frozen !== undefined, 'HOUSE:catalog:CandidateMissing', 'an open attempt has no candidate');
  if (frozen.kind !== kind) return { kind: 'not-open' };
  const next = nextStep(STEPS.filter((step) => steps.has(step)));
  if (next !== 'publish') return next === undefined ? { kind: 'not-open' } : { kind: 'too-early', next };
  return compared(frozen, { compiled: rowOf(steps, 'compiled'), acknowledged: rowOf(steps, 'acknowledged') }, attempt);
}

function compared(
  frozen: ReturnType<typeof FROZEN.decode>,
  { compiled, acknowledged }: { readonly compiled: JournalRow; readonly acknowledged: JournalRow },
  { organization }: OpenAttempt,
): AgreedWithdrawal | WithdrawalDisagreement {
  const disagrees = (what: Disagreement) => ({ kind: 'disagrees', with: what }) as const;
  const { digest } = withdrawalDocument.parse(frozen.document);
  if (digest !== frozen.document_digest) return disagrees('candidate');
  const made = ENTRIES.compiled.parse(compiled.entry).value;
  if (made.tuple_digest !== digest || frozen.tuple_digest !== digest) return disagrees('tuple');
  if (made.projection_digest !== frozen.projection_digest) return disagrees('projection');
  const securityEpoch = boundEpoch(frozen, acknowledged, organization);
  if (securityEpoch === undefined) return disagrees('security-binding');
  return { kind: 'agreed', digest, projectionDigest: frozen.projection_digest, securityEpoch };
}
