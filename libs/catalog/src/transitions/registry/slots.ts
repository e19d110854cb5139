import type { Digest } from '@connector/kernel/digest';
import { invariant, RetryableFault } from '@connector/kernel/faults';
import { lockRows, readRows, updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catSlotHead, catSlotReleaseVersion, catSlotReservation, catSlotRevision } from '@connector/schema/catalog/registry';
import { type AppId, type LocalComponentKey, NamespaceId } from '../../model/identifier';
import type { AppRelease, SlotDeclaration } from '../../model/release';
import { type PlaceSlot, placeSlot, type SlotHead, type SlotRefusal } from '../../model/slot-ledger';

export interface RefusedSlot {
  readonly code: SlotRefusal;
  readonly localComponentKey: LocalComponentKey;
  readonly definitionVersion: number;
  /** What the ledger's head is; null where there is no slot of this key. */
  readonly headDefinitionVersion: number | null;
}
type Place = Exclude<PlaceSlot, { readonly kind: SlotRefusal }>;
export interface PlacedSlot {
  readonly slot: SlotDeclaration;
  readonly place: Place;
}

/** Keys a statement. */
const AT_ONCE = 500;
const KEYS = 'WHERE app_id = :app_id AND local_component_key IN (:local_component_key)';
const HEADS = lockRows(catSlotHead, ['local_component_key', 'head_definition_version', 'head_revision_digest'], KEYS);
const RESERVED = readRows(
  catSlotReservation,
  ['local_component_key', 'declaration_component_id', 'namespace_id'],
  `${KEYS} LIMIT ${AT_ONCE}`,
);
const REVISIONS = readRows(
  catSlotRevision,
  ['local_component_key', 'revision_digest', 'target_component_id'],
  `${KEYS} AND definition_version = :definition_version LIMIT ${AT_ONCE}`,
);
const ADVANCE = updateRows(
  catSlotHead,
  `SET head_definition_version = :head_definition_version.next, head_revision_digest = :head_revision_digest.next
 WHERE app_id = :app_id AND local_component_key = :local_component_key
   AND head_definition_version = :head_definition_version AND head_revision_digest = :head_revision_digest`,
);

/**
 * Where each declared slot goes, by the ledger alone (cat:SLOT-35). Heads are locked in bytewise order of their keys (cat:A-20); the ledger of an
 * App that is not reserved yet is empty, and there is nothing to lock.
 */
export async function placeSlots(
  tx: FencedTx,
  { appId, slots }: AppRelease,
  reserved: boolean,
): Promise<readonly PlacedSlot[] | RefusedSlot> {
  const ledger = reserved && slots.length > 0 ? await readLedger(tx, appId, slots) : EMPTY;
  const placed: PlacedSlot[] = [];
  for (const slot of slots) {
    const head = ledger.heads.get(slot.localComponentKey);
    const place = placeSlot(head, ledger.standing.get(slot.localComponentKey), slot);
    if (!isPlace(place)) return { code: place.kind, ...keyOf(slot), headDefinitionVersion: head?.definitionVersion ?? null };
    placed.push({ slot, place });
  }
  return placed;
}

const isPlace = (place: PlaceSlot): place is Place => place.kind === 'first' || place.kind === 'reuse' || place.kind === 'successor';
const keyOf = ({ localComponentKey, definitionVersion }: SlotDeclaration) => ({ localComponentKey, definitionVersion });

interface Ledger {
  readonly heads: ReadonlyMap<string, SlotHead>;
  /** The revision digest at the version that the release declares. */
  readonly standing: ReadonlyMap<string, Digest>;
}
const EMPTY: Ledger = { heads: new Map(), standing: new Map() };

async function readLedger(tx: FencedTx, appId: AppId, slots: readonly SlotDeclaration[]): Promise<Ledger> {
  const keys = slots.map((slot) => slot.localComponentKey);
  const heads = await inParts(keys, (part) => tx.lockMany(HEADS, { app_id: appId, local_component_key: part }));
  const reserved = await inParts(keys, (part) => tx.read(RESERVED, { app_id: appId, local_component_key: part }));
  const declarations = new Map(reserved.map((row) => [row.local_component_key, row]));
  const reachedBy = new Map(heads.map((head) => [head.local_component_key, head.head_definition_version]));
  const declared = await revisionsAt(
    tx,
    appId,
    // Beyond its head nothing stands, so a release has no more versions to ask for than the App has had releases.
    slots
      .map((slot) => ({ version: slot.definitionVersion, key: slot.localComponentKey }))
      .filter(({ version, key }) => version <= (reachedBy.get(key) ?? 0)),
  );
  const atHead = await revisionsAt(
    tx,
    appId,
    heads.map((head) => ({ version: head.head_definition_version, key: head.local_component_key })),
  );
  const whole = heads.map((head) => {
    const [declaration, revision] = [declarations.get(head.local_component_key), atHead.get(head.local_component_key)];
    invariant(declaration !== undefined && revision !== undefined, 'HOUSE:catalog:SlotTorn', `${appId} ${head.local_component_key}`);
    const standing: SlotHead = {
      declarationComponentId: declaration.declaration_component_id,
      namespaceId: NamespaceId.parse(declaration.namespace_id),
      definitionVersion: head.head_definition_version,
      revisionDigest: head.head_revision_digest,
      targetComponentId: revision.target_component_id,
    };
    return [head.local_component_key, standing] as const;
  });
  return { heads: new Map(whole), standing: new Map([...declared].map(([key, row]) => [key, row.revision_digest])) };
}

interface RevisionRow {
  readonly local_component_key: string;
  readonly revision_digest: Digest;
  readonly target_component_id: Digest;
}

/** One revision a key, by the version that is asked for: a statement a version, so no row is read that nobody needs. */
async function revisionsAt(
  tx: FencedTx,
  appId: AppId,
  wanted: readonly { readonly version: number; readonly key: string }[],
): Promise<ReadonlyMap<string, RevisionRow>> {
  const found = new Map<string, RevisionRow>();
  const keysAt = new Map<number, string[]>();
  for (const { version, key } of wanted) {
    const keys = keysAt.get(version);
    if (keys === undefined) keysAt.set(version, [key]);
    else keys.push(key);
  }
  for (const [version, keys] of keysAt) {
    const key = { app_id: appId, definition_version: version };
    const rows = await inParts(keys, (part) => tx.read(REVISIONS, { ...key, local_component_key: part }));
    for (const row of rows) found.set(row.local_component_key, row);
  }
  return found;
}

async function inParts<Row>(keys: readonly string[], ask: (part: readonly string[]) => Promise<readonly Row[]>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let at = 0; at < keys.length; at += AT_ONCE) rows.push(...(await ask(keys.slice(at, at + AT_ONCE))));
  return rows;
}

/** The ledger's rows of a release: new reservations, new revisions, moved heads, and which version the release carries. */
export async function writeSlots(tx: FencedTx, { appId, releaseDigest }: AppRelease, placed: readonly PlacedSlot[]): Promise<void> {
  const first = placed.filter(({ place }) => place.kind === 'first').map(({ slot }) => slot);
  const fresh = placed.filter(({ place }) => place.kind !== 'reuse').map(({ slot }) => slot);
  const key = (slot: SlotDeclaration) => ({ app_id: appId, local_component_key: slot.localComponentKey });
  await tx.insert(
    catSlotReservation,
    first.map((slot) => ({ ...key(slot), declaration_component_id: slot.declarationComponentId, namespace_id: slot.namespaceId })),
  );
  await tx.insert(
    catSlotRevision,
    fresh.map((slot) => ({
      ...key(slot),
      definition_version: slot.definitionVersion,
      revision_digest: slot.revisionDigest,
      target_component_id: slot.targetComponentId,
      previous_target_component_id: slot.previousTargetComponentId,
    })),
  );
  await tx.insert(
    catSlotHead,
    first.map((slot) => ({ ...key(slot), head_definition_version: 1, head_revision_digest: slot.revisionDigest })),
  );
  for (const one of placed) await advance(tx, appId, one);
  await tx.insert(
    catSlotReleaseVersion,
    placed.map(({ slot }) => ({ ...key(slot), release_digest: releaseDigest, definition_version: slot.definitionVersion })),
  );
}

/** cat:SLOT-33: both facts of the head are those that the successor was placed after; else the whole registration is undone (cat:A-20). */
async function advance(tx: FencedTx, appId: AppId, { slot, place }: PlacedSlot): Promise<void> {
  if (place.kind !== 'successor') return;
  const moved = await tx.cas(ADVANCE, {
    app_id: appId,
    local_component_key: slot.localComponentKey,
    head_definition_version: place.expectedHeadVersion,
    head_revision_digest: place.expectedHeadDigest,
    'head_definition_version.next': slot.definitionVersion,
    'head_revision_digest.next': slot.revisionDigest,
  });
  if (!moved) throw new RetryableFault('CATALOG:SLOT_CAS_LOST', `${appId}: the head of ${slot.localComponentKey} moved meanwhile`);
}
