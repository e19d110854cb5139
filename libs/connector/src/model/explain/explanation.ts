import type { Instant } from '@connector/kernel/brand';
import type { Json } from '@connector/kernel/jcs';
import type { ActKind, EvidenceName, ReasonClass, ReasonVerdict } from './reason';
import type { ReasonCode } from './reasons';

/** `connector.explain/v1`: one shape for the API, the command line and every problem document (experience 3.0.3). */
export interface Explanation {
  readonly schema: 'connector.explain/v1';
  readonly subject: { readonly kind: string; readonly id: string; readonly state: string; readonly root: string | null };
  readonly verdict: ReasonVerdict | 'done';
  /** Null where nothing is owed; then owner, alert, policy and evidence are null too. */
  readonly reason: {
    readonly code: ReasonCode;
    readonly tier: number;
    readonly class: ReasonClass;
    readonly headline: string;
    readonly since: Instant;
    /** The row that waits, where it stands below the one that was asked for. */
    readonly subject: string;
  } | null;
  readonly owner: { readonly role: string } | null;
  /** Null: no alert declared. Reaching the time tells somebody and releases nothing (con:LIV-04). */
  readonly alert: Alert | null;
  readonly policy: { readonly at: Instant; readonly then: string } | null;
  readonly also: readonly { readonly code: ReasonCode; readonly headline: string; readonly subject: string }[];
  readonly evidence: {
    readonly query: EvidenceName;
    readonly params: { readonly id: string };
    readonly count: number;
    readonly rows: readonly EvidenceRow[];
  } | null;
  readonly may: readonly { readonly kind: ActKind; readonly say: string; readonly command: string | null; readonly rung: number }[];
  readonly will_not_help: readonly string[];
  readonly blocks: readonly { readonly kind: 'gate'; readonly id: string; readonly transition: string }[];
  readonly as_of: {
    readonly database_time: Instant;
    readonly gate: { readonly account: string; readonly mode: string; readonly fence: string } | null;
    readonly epoch: { readonly id: string; readonly state: string } | null;
  };
}

export interface Alert {
  readonly at: Instant;
  /** The configuration generation whose policies say so. */
  readonly declared_by: string;
  readonly passed: boolean;
  readonly effect: 'notify_only';
}

export type EvidenceRow = Readonly<Record<string, Json>>;

/** A database time and milliseconds; microseconds are cut. */
export function later(from: Instant, milliseconds: number): Instant {
  return new Date(Date.parse(from) + milliseconds).toISOString().replace('Z', '000Z') as Instant;
}
