import type { Digest } from '@connector/kernel/digest';
import type { NamespaceId } from './identifier';
import { UINT32_MAX } from './limits';
import type { SlotDeclaration } from './release';

/** What the ledger holds of one slot: its reservation and its head, read under the head's lock. */
export interface SlotHead {
  readonly declarationComponentId: Digest;
  readonly namespaceId: NamespaceId;
  readonly definitionVersion: number;
  readonly revisionDigest: Digest;
  /** The target that the head's revision names. */
  readonly targetComponentId: Digest;
}

/**
 * first: insert reservation, revision and head where nothing stands. reuse: the ledger does not change. successor: insert the revision and move
 * the head by a CAS over both expected values (cat:SLOT-33). The others refuse the whole release.
 */
export type PlaceSlot =
  | { readonly kind: 'first' | 'reuse' }
  | { readonly kind: 'successor'; readonly expectedHeadVersion: number; readonly expectedHeadDigest: Digest }
  | { readonly kind: SlotRefusal };
export type SlotRefusal =
  'SLOT_REBOUND' | 'SLOT_FORK' | 'SLOT_GAP' | 'SLOT_VERSION_OVERFLOW' | 'SLOT_PREDECESSOR' | 'SLOT_TARGET_UNCHANGED';

/**
 * Where a declared revision goes. The ledger alone decides: no label, clock or order of uploads is an input (cat:SLOT-35). `standing` is the
 * revision digest that the ledger holds at the declared version.
 */
export function placeSlot(head: SlotHead | undefined, standing: Digest | undefined, slot: SlotDeclaration): PlaceSlot {
  if (head === undefined)
    return slot.definitionVersion === 1 && slot.previousTargetComponentId === null ? { kind: 'first' } : { kind: 'SLOT_GAP' };
  if (head.declarationComponentId !== slot.declarationComponentId || head.namespaceId !== slot.namespaceId) return { kind: 'SLOT_REBOUND' };
  if (standing !== undefined) return { kind: standing === slot.revisionDigest ? 'reuse' : 'SLOT_FORK' };
  return succeed(head, slot);
}

function succeed(head: SlotHead, slot: SlotDeclaration): PlaceSlot {
  if (slot.definitionVersion > UINT32_MAX) return { kind: 'SLOT_VERSION_OVERFLOW' };
  // A version at or below the head stands in the ledger; one that does not is as much a hole as one beyond the next.
  if (slot.definitionVersion !== head.definitionVersion + 1) return { kind: 'SLOT_GAP' };
  if (slot.previousTargetComponentId !== head.targetComponentId) return { kind: 'SLOT_PREDECESSOR' };
  if (slot.targetComponentId === head.targetComponentId) return { kind: 'SLOT_TARGET_UNCHANGED' };
  return { kind: 'successor', expectedHeadVersion: head.definitionVersion, expectedHeadDigest: head.revisionDigest };
}
