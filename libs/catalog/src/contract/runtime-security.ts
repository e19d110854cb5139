import type { Digest } from '@connector/kernel/digest';
import type { OperationId } from '@connector/kernel/ids';

/** The fenced command as it was committed in the journal: sent again and again, it is the same (cat:SEC-02, cat:PUBL-04). */
export interface AdvanceAppGrants {
  readonly commandId: OperationId;
  readonly organization: string;
  /** 0 where the organization has no projection yet (cat:A-31). */
  readonly expectedPriorEpoch: bigint;
  /** Canonical bytes of the App grants of the whole organization, as they stand in the journal. */
  readonly appGrants: Buffer;
  readonly expectedProjectionDigest: Digest;
}

/** What Runtime security bound the command to. The same command is bound to the same for ever. */
export interface BoundAppGrants {
  readonly securityEpoch: bigint;
  readonly projectionDigest: Digest;
  readonly bindingBytes: Buffer;
  readonly bindingDigest: Digest;
}

/** Final for this command: it is never sent again; another attempt has another command (cat:A-31). */
export type AdvanceRefused =
  | { readonly kind: 'refused'; readonly code: 'stale-epoch'; readonly currentEpoch: bigint }
  /** The command's id has another payload (cat:SEC-08). */
  | { readonly kind: 'refused'; readonly code: 'payload-conflict' }
  /** Runtime computes another projection from the same App grants. */
  | {
      readonly kind: 'refused';
      readonly code: 'projection-differs';
      readonly projectionDigest: Digest;
      readonly otherInputsDigest: Digest;
    }
  | { readonly kind: 'refused'; readonly code: 'epochs-exhausted' };

/** `unavailable`: nothing is known, it may have been done; the same command is sent again. */
export type AdvanceAnswer = ({ readonly kind: 'bound' } & BoundAppGrants) | AdvanceRefused | { readonly kind: 'unavailable' };

/** Epoch and digest as of one moment: step 1 freezes both together (decisions 12.4). */
export type SecurityHeadAnswer =
  | {
      readonly kind: 'head';
      readonly securityEpoch: bigint;
      readonly otherInputsDigest: Digest;
      /** null at epoch 0, where nothing was projected. */
      readonly projectionDigest: Digest | null;
    }
  | { readonly kind: 'unavailable' };

/**
 * Runtime security as Catalog sees it. It never allocates an epoch and never writes a projection; it asks, and keeps the answer (cat:SEC-10).
 * Nothing is thrown for a failed call: that is `unavailable`.
 */
export interface RuntimeSecurity {
  readHead(organization: string): Promise<SecurityHeadAnswer>;
  advance(command: AdvanceAppGrants): Promise<AdvanceAnswer>;
}
