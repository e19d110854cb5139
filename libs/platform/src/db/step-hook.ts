/** Where a transaction is. The one hook that crash points, race signals and schedules share (decisions 13.13). */
export interface StepPoint {
  readonly door: string;
  /** `verb table#label`, or `begin`, `commit` (before it is written), `committed` (after its answer), `rolled-back`. */
  readonly step: string;
  /** `<door>/<step>`. */
  readonly point: string;
}

/** Called before each statement; what it returns is awaited. Absent in production. */
export type StepHook = (at: StepPoint) => void | Promise<void>;
