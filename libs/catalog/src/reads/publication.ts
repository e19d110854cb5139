import type { Digest } from '@connector/kernel/digest';
import type { Lineage } from '@connector/kernel/digest-profile';
import type { OperationId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catCandidate, catInstallation, catLineage, catPublicationStep } from '@connector/schema/catalog/installations';
import type { Attempt, OpenAttempt } from '../model/installation/attempt';
import { type CandidateKind, kindOf } from '../model/installation/candidate-kind';
import {
  ENTRIES,
  type PublicationFailure,
  type PublicationStep,
  publishedLineage,
  type Refusal,
  STEPS,
} from '../model/installation/publication';

const ATTEMPT = 'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND attempt = :attempt';
const DONE = readRows(catPublicationStep, ['step'], `${ATTEMPT} LIMIT 10`, 'done');
const CANDIDATE = readRows(
  catCandidate,
  [
    'kind',
    'document',
    'document_digest',
    'tuple_digest',
    'command_id',
    'expected_prior_epoch',
    'other_inputs_digest',
    'app_grants',
    'projection_digest',
  ],
  ATTEMPT,
  'frozen',
);
/** How much of what somebody left is handed out at once. */
const LEFT_MAX = 100;
const OPEN = readRows(
  catLineage,
  ['organization_id', 'open_installation_id', 'open_attempt'],
  `WHERE open_installation_id > :open_installation_id ORDER BY open_installation_id LIMIT ${LEFT_MAX}`,
  'open',
);
const END = readRows(
  catPublicationStep,
  ['step', 'entry'],
  `${ATTEMPT} AND step IN ('published', 'abandoned', 'failed', 'refused') LIMIT 1`,
  'end',
);
const OPEN_IN = readRows(catLineage, ['open_installation_id', 'open_attempt'], 'WHERE organization_id = :organization_id', 'open-in');
const REVISION = readRows(catLineage, ['catalog_revision'], 'WHERE organization_id = :organization_id', 'head');

/** Publications that wait for somebody to go on, in the order of their installations, behind this one; none: there are no more. */
export async function readOpenPublications(db: Db, after?: OpenAttempt): Promise<readonly OpenAttempt[]> {
  const rows = await db.read(OPEN, { open_installation_id: after?.installation ?? '' });
  return rows.flatMap(({ organization_id: organization, open_installation_id: installation, open_attempt: attempt }) =>
    installation === null || attempt === null ? [] : [{ organization, installation, attempt }],
  );
}

/** The steps that an attempt has, in their order. For whoever drives it: each door judges again what it finds. */
export async function readStepsDone(db: Db, { organization, installation, attempt }: OpenAttempt): Promise<readonly PublicationStep[]> {
  const rows = await db.read(DONE, { organization_id: organization, app_installation_id: installation, attempt });
  return STEPS.filter((step) => rows.some((row) => row.step === step));
}

/** What step 1 froze; it never changes. */
export interface Frozen {
  readonly kind: CandidateKind;
  readonly document: Buffer;
  readonly documentDigest: Digest;
  readonly tupleDigest: Digest;
  readonly commandId: OperationId;
  readonly expectedPriorEpoch: bigint;
  readonly otherInputsDigest: Digest;
  readonly appGrants: Buffer;
  readonly projectionDigest: Digest;
}

export async function readFrozen(db: Db, { organization, installation, attempt }: OpenAttempt): Promise<Frozen | undefined> {
  const row = await db.readOne(CANDIDATE, { organization_id: organization, app_installation_id: installation, attempt });
  return (
    row && {
      kind: kindOf(row.kind),
      document: row.document,
      documentDigest: row.document_digest,
      tupleDigest: row.tuple_digest,
      commandId: row.command_id,
      expectedPriorEpoch: row.expected_prior_epoch,
      otherInputsDigest: row.other_inputs_digest,
      appGrants: row.app_grants,
      projectionDigest: row.projection_digest,
    }
  );
}

const REMOVALS = readRows(
  catInstallation,
  ['organization_id', 'app_installation_id'],
  `WHERE state = 'REMOVING' AND active_attempt IS NULL
     AND (organization_id > :organization_id OR (organization_id = :organization_id AND app_installation_id > :app_installation_id))
   ORDER BY organization_id, app_installation_id LIMIT ${LEFT_MAX}`,
  'removing',
);

interface Removal {
  readonly organization: string;
  readonly installation: string;
}

/**
 * Removals that wait for their gates, behind this one; none: there are no more. What never served is among them before its withdrawal: the door
 * judges.
 */
export async function readRemovals(db: Db, after?: Removal): Promise<readonly Removal[]> {
  const rows = await db.read(REMOVALS, { organization_id: after?.organization ?? '', app_installation_id: after?.installation ?? '' });
  return rows.map(({ organization_id: organization, app_installation_id: installation }) => ({ organization, installation }));
}

/** The organization's catalog revision; 0 where it has none. */
export async function readCatalogRevision(db: Db, organization: string): Promise<bigint> {
  return (await db.readOne(REVISION, { organization_id: organization }))?.catalog_revision ?? 0n;
}

/** How an attempt ended; undefined while it has not. */
export type AttemptEnd =
  | { readonly kind: 'published'; readonly lineage: Lineage }
  | { readonly kind: 'failed'; readonly code: PublicationFailure }
  /** What Runtime may have held of a candidate that was given up is taken back. */
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export async function readEnd(db: Db, { organization, installation, attempt }: OpenAttempt): Promise<AttemptEnd | undefined> {
  const row = await db.readOne(END, { organization_id: organization, app_installation_id: installation, attempt });
  if (row === undefined) return undefined;
  if (row.step === 'failed') return { kind: 'failed', code: ENTRIES.failed.parse(row.entry).value.code };
  if (row.step === 'abandoned') return { kind: 'abandoned' };
  if (row.step === 'refused') return { kind: 'refused', refusal: ENTRIES.refused.parse(row.entry).value };
  return { kind: 'published', lineage: publishedLineage(row.entry) };
}

/** The one publication that is open in an organization. */
export async function readOpenPublication(db: Db, organization: string): Promise<Attempt | undefined> {
  const row = await db.readOne(OPEN_IN, { organization_id: organization });
  const { open_installation_id: installation = null, open_attempt: attempt = null } = row ?? {};
  return installation === null || attempt === null ? undefined : { installation, attempt };
}
