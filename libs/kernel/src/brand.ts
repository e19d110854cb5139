declare const brand: unique symbol;

/** A value that is more than its type says: `Brand<bigint, 'GateFence'>` cannot be compared with another fence. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** Bytes of a name that came from outside; compared byte for byte, never trimmed or folded (con:IDN-02, con:IDN-04). */
export type AccountName = Brand<string, 'AccountName'>;
/** A database time, RFC 3339 in UTC with microseconds (con:OPEN-28). */
export type Instant = Brand<string, 'Instant'>;

export type GateFence = Brand<bigint, 'GateFence'>;
export type CredentialFence = Brand<bigint, 'CredentialFence'>;
export type ChannelKeyFence = Brand<bigint, 'ChannelKeyFence'>;
export type LaneFence = Brand<bigint, 'LaneFence'>;
export type HolderFence = Brand<bigint, 'HolderFence'>;
/** Of one hold of a publication barrier, and of the run that has barriers in its hand. */
export type BarrierFence = Brand<bigint, 'BarrierFence'>;
export type BarrierHolderFence = Brand<bigint, 'BarrierHolderFence'>;
