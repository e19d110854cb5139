import type { Digest } from '@connector/kernel/digest';

export interface ComponentNeed {
  readonly componentKind: string;
  readonly formatVersion: number;
}

/** What a release needs of the schema before it may serve; the needs are distinct and may be none. */
export interface SchemaQuestion {
  readonly organization: string;
  readonly appReleaseDigest: Digest;
  readonly needs: readonly ComponentNeed[];
}

export type SchemaReadinessAnswer =
  /** The generation that serves all of the needs. */
  | { readonly kind: 'ready'; readonly schemaGeneration: string }
  | { readonly kind: 'not-ready'; readonly missing: readonly ComponentNeed[] }
  | { readonly kind: 'unavailable' };

/** Whether the schema of an organization can serve a release (cat:PREP-07). Nothing is thrown for a failed call: that is `unavailable`. */
export interface SchemaReadiness {
  ready(question: SchemaQuestion): Promise<SchemaReadinessAnswer>;
}
