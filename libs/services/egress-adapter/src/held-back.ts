import type { PermitId } from '@connector/kernel/ids';
import type { HolderPermit } from '@connector/connector/reads/outbound/holder-permits';
import { monotonicMs } from '@connector/platform/host/clock';
import type { Log } from '@connector/platform/telemetry/log';

interface Held {
  readonly reason: string;
  readonly until: number;
}

/** Permits that stay granted because this process may not or cannot send them. Isolation closes them, or a credential fence that moved. */
export class HeldBack {
  readonly #held = new Map<PermitId, Held>();
  readonly #log: Log;
  readonly #restMs: number;

  constructor(log: Log, restMs: number) {
    this.#log = log;
    this.#restMs = restMs;
  }

  get size(): number {
    return this.#held.size;
  }

  rests(permitId: PermitId): boolean {
    return (this.#held.get(permitId)?.until ?? 0) > monotonicMs();
  }

  /** Something outside is missing: looked at again after a while. */
  forNow(permit: HolderPermit, reason: string): void {
    this.#hold(permit, { reason, until: monotonicMs() + this.#restMs });
  }

  /** Its row says no, and will go on saying so (con:SEND-X). */
  forGood(permit: HolderPermit, reason: string): void {
    this.#hold(permit, { reason, until: Infinity });
  }

  /** Forgets what is granted no more. */
  keepOnly(granted: readonly HolderPermit[]): void {
    const ids = new Set(granted.map(({ permit_id }) => permit_id));
    for (const permitId of this.#held.keys()) if (!ids.has(permitId)) this.#held.delete(permitId);
  }

  #hold({ permit_id: row, account, effect_id: detail }: HolderPermit, held: Held): void {
    if (this.#held.get(row)?.reason !== held.reason) this.#log.warn('permit-held-back', { account, row, detail, reason: held.reason });
    this.#held.set(row, held);
  }
}
