/** Whose move it is: a machine goes on alone, somebody named must act, only new evidence moves it, or a frozen rule applies at a known time. */
export type ReasonClass = 'machine' | 'owner' | 'safety' | 'policy';
/** Where the asker stands with this reason. An alert time that has passed makes every waiting one `needs_person`; `done` is told, not owed. */
export type ReasonVerdict = 'progressing' | 'waiting' | 'needs_person' | 'refused' | 'done';
/** Evaluation order (experience 3.0.3): serving, exact references, a person's stop, the outside world, ordering, deadlines, leases, pickup. */
export type Tier = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

/**
 * Members of the account's frozen `alert_after_ms`. Policies are written above this layer, so the names stand here again; the operator's
 * build compares the two.
 */
export type AlertKey =
  'receipt_not_materialized' | 'execution_not_completed' | 'effect_not_dispatched' | 'effect_uncertain' | 'permit_open' | 'gate_halting';

/** Named queries; each returns the exact rows behind a reason (con:LIV-03). */
export type EvidenceName =
  | 'gate.row'
  | 'gate.open_permits'
  | 'epoch.row'
  | 'epoch.verdict'
  | 'credential.gate'
  | 'credential.authored'
  | 'receipt.materialization'
  | 'receipt.refusals'
  | 'execution.row'
  | 'execution.attempts'
  | 'execution.handover'
  | 'order.lane'
  | 'order.gap'
  | 'order.superseded'
  | 'command.row'
  | 'effect.row'
  | 'effect.attempts'
  | 'effect.links'
  | 'permit.holder'
  | 'process.receipts';

/**
 * What somebody may do. The first three are all that may heal a halt or a refusal on this path (con:LIV-06); `look` and `wait` change
 * nothing, `transition` is a listed opposite move.
 */
export type ActKind = 'append_evidence' | 'mint_upstream' | 'declare_unsupported' | 'transition' | 'look' | 'wait';

export interface Act {
  readonly kind: ActKind;
  readonly say: string;
  readonly command: string | null;
  /** 0 reads, 2 stops or starts real work (experience 3.0.4). */
  readonly rung: 0 | 2;
}

/** One reason. Every member is required: a reason without an owner, a query or a way on does not compile (con:RSN-F, con:LIV-02). */
export interface Reason {
  /** `{name}` is a place that the blocker test must fill. */
  readonly headline: string;
  readonly tier: Tier;
  readonly class: ReasonClass;
  readonly verdict: ReasonVerdict;
  /** The responsible role (con:LIV-05). */
  readonly owner: string;
  /** Which frozen time escalates; null where none is declared (con:LIV-04). */
  readonly alert: AlertKey | null;
  readonly evidence: EvidenceName;
  readonly may: readonly [Act, ...Act[]];
  readonly willNotHelp: readonly [string, ...string[]];
}

/** The places of a template, by name. */
export type Places<T> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Places<Rest> : never;
