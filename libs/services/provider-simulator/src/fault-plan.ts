/**
 * Faults by name, each for the next calls to one host:
 *
 * slow            executed, answered after `ms`
 * 500-before      not executed, answered 500
 * 500-after       executed, answered 500
 * reset-mid-body  executed, the connection reset in the middle of the answer's body
 * other-id        executed, answered with the id of the oldest record: a provider that lies about what it made
 * 422             not executed, answered 422
 * 429             not executed, answered 429 with Retry-After
 */
export const FAULTS = ['slow', '500-before', '500-after', 'reset-mid-body', 'other-id', '422', '429'] as const;
export type FaultName = (typeof FAULTS)[number];

export interface PlannedFault {
  readonly host: string;
  readonly fault: FaultName;
  /** Calls that it is for. */
  readonly times: number;
  /** How long `slow` waits, and what `429` asks to wait for. */
  readonly ms: number;
}

const PLANNED_MAX = 1_000;

/** First planned, first met. Not part of the ledger: a restart forgets them. */
export class FaultPlan {
  private planned: PlannedFault[] = [];

  /** False where too many are planned already. */
  add(fault: PlannedFault): boolean {
    if (this.planned.length >= PLANNED_MAX) return false;
    this.planned.push(fault);
    return true;
  }

  take(host: string): PlannedFault | undefined {
    const at = this.planned.findIndex((fault) => fault.host === host);
    const found = this.planned[at];
    if (found === undefined) return undefined;
    this.planned.splice(at, 1, ...(found.times > 1 ? [{ ...found, times: found.times - 1 }] : []));
    return found;
  }

  list(): readonly PlannedFault[] {
    return [...this.planned];
  }

  clear(): void {
    this.planned = [];
  }
}
