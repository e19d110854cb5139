import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import type { OperationId } from '@connector/kernel/ids';
import { isBoundTo } from '@connector/security/contract/projection';
import { type Candidate, candidateDocument } from '../../model/installation/candidate';
import { ENTRIES } from '../../model/installation/publication';
import { type InstallationTuple, tupleDocument } from '../../model/installation/tuple';
import type { JournalRow } from './journal';

/** What step 1 wrote down to be expected. */
export interface Expected {
  readonly document: Buffer;
  readonly document_digest: Digest;
  readonly tuple_digest: Digest;
  readonly command_id: OperationId;
  readonly expected_prior_epoch: bigint;
  readonly projection_digest: Digest;
}

export interface Agreed {
  readonly kind: 'agreed';
  readonly candidate: Candidate;
  readonly document: Buffer;
  readonly tuple: InstallationTuple;
  readonly tupleDigest: Digest;
  readonly projectionDigest: Digest;
  readonly securityEpoch: bigint;
}

/** Which of the acknowledgements is another than expected, by its name. */
export type Disagreement = 'candidate' | 'tuple' | 'projection' | 'security-binding' | 'schema-generation';

interface Journaled {
  readonly compiled: JournalRow;
  readonly acknowledged: JournalRow;
}

/**
 * Everything that serving will need, compared with what step 1 froze, digest by digest and the binding word by word (cat:PUBL-07). Bytes are
 * hashed again: a row that was altered agrees with nothing.
 */
export function agreementOf(
  expected: Expected,
  { compiled, acknowledged }: Journaled,
  now: { readonly organization: string; readonly schemaGeneration: string },
): Agreed | { readonly kind: 'disagrees'; readonly with: Disagreement } {
  const disagrees = (what: Disagreement) => ({ kind: 'disagrees', with: what }) as const;
  const { value: candidate, digest } = candidateDocument.parse(expected.document);
  if (digest !== expected.document_digest) return disagrees('candidate');
  const { tuple, ...made } = madeOf(compiled);
  if (made.tupleDigest !== expected.tuple_digest || made.said !== expected.tuple_digest) return disagrees('tuple');
  if (made.projectionDigest !== expected.projection_digest) return disagrees('projection');
  const securityEpoch = boundEpoch(expected, acknowledged, now.organization);
  if (securityEpoch === undefined) return disagrees('security-binding');
  if (candidate.schema_generation !== now.schemaGeneration) return disagrees('schema-generation');
  const { document, tuple_digest: tupleDigest, projection_digest: projectionDigest } = expected;
  return { kind: 'agreed', candidate, document, tuple, tupleDigest, projectionDigest, securityEpoch };
}

function madeOf({ entry, document }: JournalRow) {
  const { tuple_digest: said, projection_digest: projectionDigest } = ENTRIES.compiled.parse(entry).value;
  invariant(document !== null, 'HOUSE:catalog:JournalIncomplete', 'compiled without a tuple');
  const { value: tuple, digest: tupleDigest } = tupleDocument.parse(document);
  return { said, projectionDigest, tuple, tupleDigest };
}

/** The epoch that Runtime bound this very command to; undefined where its binding says anything else. */
export function boundEpoch(
  expected: Pick<Expected, 'command_id' | 'expected_prior_epoch' | 'projection_digest'>,
  { entry, document }: JournalRow,
  organization: string,
): bigint | undefined {
  const said = ENTRIES.acknowledged.parse(entry).value;
  invariant(document !== null, 'HOUSE:catalog:JournalIncomplete', 'acknowledged without a binding');
  const { command_id: commandId, expected_prior_epoch: expectedPriorEpoch, projection_digest: expectedProjectionDigest } = expected;
  const securityEpoch = BigInt(said.security_epoch);
  const answer = { securityEpoch, projectionDigest: said.projection_digest, bindingBytes: document, bindingDigest: said.binding_digest };
  return isBoundTo({ commandId, organization, expectedPriorEpoch, expectedProjectionDigest }, answer) ? securityEpoch : undefined;
}
