import { Digest } from '@connector/kernel/digest';
import type { Revision } from '@connector/kernel/revisions';

/**
 * One step forward, as text that never changes once somebody applied it. Each statement may be run again: DDL commits by itself, so a migrator
 * that died in the middle has left some of them behind.
 */
export interface Migration extends Revision {
  readonly statements: readonly string[];
}

/** Over every statement and its end, so that no two lists share one. */
export function checksumOf({ statements }: Migration): Digest {
  return Digest.sha256(Buffer.from(statements.map((statement) => `${statement}\0`).join(''), 'utf8'));
}
