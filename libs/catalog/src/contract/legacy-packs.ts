import type { Digest } from '@connector/kernel/digest';
import type { OperationId } from '@connector/kernel/ids';
import type { LegacyRecord, LegacyRef } from '../model/conversion/legacy-pack';

/** What the legacy world holds of a pack beyond its row; a deletion takes all of it away (cat:COEX-14). */
export const LEGACY_REMAINDERS = [
  'install-authority',
  'source-revision-lock',
  'installed-pack',
  'startup-fallback',
  'source-checkout',
] as const;
export type LegacyRemainder = (typeof LEGACY_REMAINDERS)[number];

interface Unavailable {
  readonly kind: 'unavailable';
}
export type LegacyRead = { readonly kind: 'found'; readonly record: LegacyRecord } | { readonly kind: 'absent' } | Unavailable;
export type LegacyHeld =
  /** `hold` is whose hold it is: the offered one, or one that stood. */
  | { readonly kind: 'held'; readonly hold: OperationId }
  /** Another hash is applied, or nothing is there: nothing is held. */
  | { readonly kind: 'moved' }
  | Unavailable;

/**
 * The legacy world of packs, as far as a conversion and its end need it. While a source is held or sealed no install, reapply or upgrade of it is
 * accepted, and what is read is what is applied. Nothing is thrown for a failed call: that is `unavailable`, and every call may be made again.
 */
export interface LegacyPacks {
  read(ref: LegacyRef): Promise<LegacyRead>;
  /** Holds the source at the hash that is applied, one hold at a time: it stands until it is released or sealed. */
  hold(ref: LegacyRef, appliedPayloadHash: Digest, offered: OperationId): Promise<LegacyHeld>;
  /** Everything is as it was before this hold. Of a sealed source, and of another's hold, nothing happens. */
  release(ref: LegacyRef, hold: OperationId): Promise<{ readonly kind: 'released' } | Unavailable>;
  /** Freezes the source for ever at the hash of its hold (cat:COEX-01). */
  seal(ref: LegacyRef, hold: OperationId): Promise<{ readonly kind: 'sealed' } | Unavailable>;
  /** Takes away a sealed source with everything that is of it alone; other packs and their grammar stay (cat:COEX-15). What could not go is told. */
  delete(
    ref: LegacyRef,
    hold: OperationId,
  ): Promise<{ readonly kind: 'deleted'; readonly remains: readonly LegacyRemainder[] } | Unavailable>;
}

/** A legacy world and the key under which its mappings are signed. A deployment that never had one has none. */
export interface LegacyWorld {
  readonly packs: LegacyPacks;
  /** 32 raw bytes: the operator trust authority's (cat:A-37). */
  readonly trustAuthority: Buffer;
}
