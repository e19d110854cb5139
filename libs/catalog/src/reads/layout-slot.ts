import type { Digest } from '@connector/kernel/digest';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catSlotHead, catSlotReservation, catSlotRevision } from '@connector/schema/catalog/registry';
import type { AppId, LocalComponentKey } from '../model/identifier';

export interface LayoutSlotRevision {
  readonly definitionVersion: number;
  readonly revisionDigest: Digest;
  readonly targetComponentId: Digest;
  readonly previousTargetComponentId: Digest | null;
}
export type LayoutSlot =
  | {
      readonly kind: 'found';
      readonly declarationComponentId: Digest;
      readonly namespaceId: string;
      readonly headDefinitionVersion: number;
      readonly headRevisionDigest: Digest;
      readonly revision: LayoutSlotRevision;
    }
  | { readonly kind: 'absent'; readonly code: 'SLOT_ABSENT' | 'SLOT_VERSION_ABSENT' };

const KEY = 'WHERE app_id = :app_id AND local_component_key = :local_component_key';
const RESERVED = readRows(catSlotReservation, ['declaration_component_id', 'namespace_id'], KEY);
const HEAD = readRows(catSlotHead, ['head_definition_version', 'head_revision_digest'], KEY);
const REVISION = readRows(
  catSlotRevision,
  ['definition_version', 'revision_digest', 'target_component_id', 'previous_target_component_id'],
  `${KEY} AND definition_version = :definition_version`,
);

/** Reservation, head and one revision of a slot: that of the head where no version is named. */
export async function readLayoutSlot(db: Db, appId: AppId, key: LocalComponentKey, version?: number): Promise<LayoutSlot> {
  const slot = { app_id: appId, local_component_key: key };
  const [reserved, head] = await Promise.all([db.readOne(RESERVED, slot), db.readOne(HEAD, slot)]);
  if (reserved === undefined || head === undefined) return { kind: 'absent', code: 'SLOT_ABSENT' };
  const row = await db.readOne(REVISION, { ...slot, definition_version: version ?? head.head_definition_version });
  if (row === undefined) return { kind: 'absent', code: 'SLOT_VERSION_ABSENT' };
  return {
    kind: 'found',
    declarationComponentId: reserved.declaration_component_id,
    namespaceId: reserved.namespace_id,
    headDefinitionVersion: head.head_definition_version,
    headRevisionDigest: head.head_revision_digest,
    revision: {
      definitionVersion: row.definition_version,
      revisionDigest: row.revision_digest,
      targetComponentId: row.target_component_id,
      previousTargetComponentId: row.previous_target_component_id,
    },
  };
}
