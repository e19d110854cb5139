import type { Instant } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { instant } from '@connector/kernel/column';
import { invariant } from '@connector/kernel/faults';
import { mintUuid7 } from '@connector/kernel/ids';
import { lockRows, readQuery, updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catLineage, catRevision } from '@connector/schema/catalog/installations';
import type { Attempt } from '../model/installation/attempt';

const ROW = 'WHERE organization_id = :organization_id';
const NOW = { sql: 'NOW(6)', column: instant() };
const LOCK = lockRows(catLineage, ['lineage_id', 'catalog_revision', 'open_installation_id', 'open_attempt'], ROW, {
  computed: { now: NOW },
});
const CLOCK = readQuery(catLineage, { now: instant() }, 'SELECT NOW(6) AS now', 'clock');
const TAKE = updateRows(
  catLineage,
  `SET catalog_revision = :catalog_revision.next ${ROW} AND lineage_id = :lineage_id AND catalog_revision = :catalog_revision`,
  'revision',
);
const OPEN = updateRows(
  catLineage,
  `SET open_installation_id = :open_installation_id, open_attempt = :open_attempt ${ROW} AND open_installation_id IS NULL`,
  'open',
);
const CLOSE = updateRows(
  catLineage,
  `SET open_installation_id = NULL, open_attempt = NULL
   ${ROW} AND open_installation_id = :open_installation_id AND open_attempt = :open_attempt`,
  'close',
);

/** Everything that serves in an organization stands still while this is held (decisions 12.3). */
export interface LockedLineage {
  readonly organization: string;
  readonly lineageId: string;
  readonly catalogRevision: bigint;
  /** The one publication that is open, if any. */
  readonly open: Attempt | null;
  /** The database's clock. */
  readonly now: Instant;
}

/** undefined where nothing was ever prepared in the organization; then nothing is locked. */
export async function lockLineage(tx: FencedTx, organization: string): Promise<LockedLineage | undefined> {
  const row = await tx.lock(LOCK, { organization_id: organization });
  if (row === undefined) return undefined;
  const { lineage_id: lineageId, catalog_revision: catalogRevision, open_installation_id: installation, open_attempt: attempt, now } = row;
  const open = installation === null || attempt === null ? null : { installation, attempt };
  return { organization, lineageId, catalogRevision, open, now };
}

/** As `lockLineage`; of an organization that has none the history begins here, at revision 0. */
export async function holdLineage(tx: FencedTx, organization: string): Promise<LockedLineage> {
  const standing = await lockLineage(tx, organization);
  if (standing !== undefined) return standing;
  const [clock] = await tx.read(CLOCK, {});
  invariant(clock !== undefined, 'HOUSE:catalog:NoClock', 'the database has no clock');
  const row = { organization_id: organization, lineage_id: mintUuid7(clock.now), catalog_revision: 0n };
  // Somebody else's row is as good: it is locked like any that stood.
  await tx.insertNew(catLineage, { ...row, open_installation_id: null, open_attempt: null });
  const made = await lockLineage(tx, organization);
  invariant(made !== undefined, 'HOUSE:catalog:RowVanished', 'a lineage was begun and is not there');
  return made;
}

/** The ACTIVE tuple that a publication makes, as its revision keeps it (cat:INST-16). */
export interface RevisionTuple {
  readonly attempt: bigint;
  readonly activationEpoch: bigint;
  readonly tupleDigest: Digest;
  readonly projectionDigest: Digest;
  readonly securityEpoch: bigint;
}

export interface RevisionCause {
  readonly cause: 'publication' | 'membership' | 'binding' | 'removal';
  readonly installation: string;
  /** Of a publication alone. */
  readonly tuple?: RevisionTuple;
}

/** The next revision of the organization, taken; one a transaction. */
export async function takeRevision(tx: FencedTx, lineage: LockedLineage, { cause, installation, tuple }: RevisionCause): Promise<bigint> {
  const { organization, lineageId, catalogRevision } = lineage;
  const next = catalogRevision + 1n;
  const key = { organization_id: organization, lineage_id: lineageId, catalog_revision: catalogRevision };
  invariant(await tx.cas(TAKE, { ...key, 'catalog_revision.next': next }), 'HOUSE:catalog:CasUnexplained', 'a locked lineage moved');
  await tx.insert(catRevision, [
    {
      ...key,
      catalog_revision: next,
      cause,
      app_installation_id: installation,
      attempt: tuple?.attempt ?? null,
      activation_epoch: tuple?.activationEpoch ?? null,
      tuple_digest: tuple?.tupleDigest ?? null,
      projection_digest: tuple?.projectionDigest ?? null,
      security_epoch: tuple?.securityEpoch ?? null,
    },
  ]);
  return next;
}

/** The lineage is held and has no open publication. */
export async function markOpen(tx: FencedTx, { organization }: LockedLineage, { installation, attempt }: Attempt): Promise<void> {
  const opened = await tx.cas(OPEN, { organization_id: organization, open_installation_id: installation, open_attempt: attempt });
  invariant(opened, 'HOUSE:catalog:CasUnexplained', 'a locked lineage has an open publication');
}

/** The lineage is held and this attempt is open. */
export async function markClosed(tx: FencedTx, { organization }: LockedLineage, { installation, attempt }: Attempt): Promise<void> {
  const closed = await tx.cas(CLOSE, { organization_id: organization, open_installation_id: installation, open_attempt: attempt });
  invariant(closed, 'HOUSE:catalog:CasUnexplained', 'a locked lineage lost its open publication');
}

export function isOpen({ open }: LockedLineage, { installation, attempt }: Attempt): boolean {
  return open !== null && open.installation === installation && open.attempt === attempt;
}
