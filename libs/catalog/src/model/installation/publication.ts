import type { Digest } from '@connector/kernel/digest';
import { DOCUMENT_FAULTS_MAX, type DocumentFault } from '@connector/kernel/document-fault';
import type { Lineage } from '@connector/kernel/digest-profile';
import { closed, COUNT, DECIMAL, DIGEST, listOf, oneOf, type Shape, TEXT, type TypeOf } from '@connector/kernel/document-shape';
import { documentKind } from '@connector/kernel/document';
import type { Json } from '@connector/kernel/jcs';

/** The rows of the journal, in the order in which an attempt may have them. `refused` stands alone: nothing was opened. */
export const STEPS = ['opened', 'compiled', 'acknowledged', 'published', 'removed', 'abandoned', 'failed', 'refused'] as const;
/** With any of these there is no next step: the attempt ended. Of a removal `removed` follows once its gates are passed. */
const ENDS: readonly PublicationStep[] = ['published', 'abandoned', 'failed'];
export type PublicationStep = (typeof STEPS)[number];

/** What an attempt waits for; undefined once it ended (cat:PUBL-09). */
export type NextStep = 'compile' | 'send' | 'publish';

export function nextStep(steps: readonly PublicationStep[]): NextStep | undefined {
  const has = (step: PublicationStep): boolean => steps.includes(step);
  if (!has('opened') || ENDS.some(has)) return undefined;
  if (!has('compiled')) return 'compile';
  return has('acknowledged') ? 'publish' : 'send';
}

/** Why an attempt cannot go on. Final: only a new attempt, with a new command, can (cat:A-31). */
export const FAILURES = [
  'SECURITY_EPOCH_STALE',
  'SECURITY_PAYLOAD_CONFLICT',
  'SECURITY_PROJECTION_DIFFERS',
  'SECURITY_EPOCHS_EXHAUSTED',
  'PROJECTION_DIFFERS',
  'ACKNOWLEDGEMENT_DIFFERS',
  'SCHEMA_NOT_READY',
  'SCHEMA_GENERATION_MOVED',
  'ABANDONED',
] as const;
export type PublicationFailure = (typeof FAILURES)[number];

const POINTER: Shape<string> = { schema: { type: 'string', maxLength: 512 } };
const faultShape = closed({ pointer: POINTER, code: TEXT, rule: TEXT, expected: TEXT, found: TEXT });
const refusedShape = closed({ app_release_digest: DIGEST, faults: listOf(faultShape, DOCUMENT_FAULTS_MAX), more: COUNT });
const compiledShape = closed({ tuple_digest: DIGEST, projection_digest: DIGEST });
const acknowledgedShape = closed({ security_epoch: DECIMAL, projection_digest: DIGEST, binding_digest: DIGEST });
export type Refusal = TypeOf<typeof refusedShape>;
export type Compiled = TypeOf<typeof compiledShape>;
export type Acknowledged = TypeOf<typeof acknowledgedShape>;

const entryKind = <T extends Json>(step: PublicationStep, shape: Shape<T>) =>
  documentKind<T>({ name: `journal entry ${step}`, separator: `nexuscrm.app-publication-${step}.v1`, shape });

/** One closed document a step; the separators are ours. */
export const ENTRIES = {
  opened: entryKind('opened', closed({ candidate_digest: DIGEST, expected_prior_epoch: DECIMAL, command_id: TEXT })),
  compiled: entryKind('compiled', compiledShape),
  acknowledged: entryKind('acknowledged', acknowledgedShape),
  published: entryKind('published', closed({ lineage_id: TEXT, catalog_revision: DECIMAL, activation_epoch: DECIMAL })),
  removed: entryKind('removed', closed({ app_id: TEXT })),
  abandoned: entryKind('abandoned', closed({ security_epoch: DECIMAL })),
  failed: entryKind('failed', closed({ code: oneOf(...FAILURES), failed_from: TEXT, detail: TEXT })),
  refused: entryKind('refused', refusedShape),
} as const;

/** The first faults of a preparation, and how many more there were. */
export function refusalOf(appReleaseDigest: Digest, faults: readonly DocumentFault[]): Refusal {
  const shown = faults
    .slice(0, DOCUMENT_FAULTS_MAX)
    .map(({ pointer, code, rule, expected, found }) => ({ pointer, code, rule, expected, found }));
  return { app_release_digest: appReleaseDigest, faults: shown, more: faults.length - shown.length };
}

/** Runtime has said of the command that it can never succeed, so it holds nothing of the attempt, now or later. */
const REFUSED_BY_RUNTIME: readonly PublicationFailure[] = [
  'SECURITY_EPOCH_STALE',
  'SECURITY_PAYLOAD_CONFLICT',
  'SECURITY_PROJECTION_DIFFERS',
  'SECURITY_EPOCHS_EXHAUSTED',
];

/** Whether Runtime may hold, or may yet come to hold, the projection of an attempt that ends so: it is sent once it is compiled (cat:PUBL-C7). */
export function mayHaveReached(steps: ReadonlySet<string>, code: PublicationFailure): boolean {
  return steps.has('compiled') && !REFUSED_BY_RUNTIME.includes(code);
}

/** What a published attempt made, by its entry in the journal. */
export function publishedLineage(entry: Buffer): Lineage {
  const { lineage_id: lineageId, catalog_revision: revision, activation_epoch: epoch } = ENTRIES.published.parse(entry).value;
  return { lineageId, catalogRevision: BigInt(revision), activationEpoch: BigInt(epoch) };
}
