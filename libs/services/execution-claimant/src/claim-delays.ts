import type { Led } from '@connector/platform/host/loop';
import type { Telemetry } from '@connector/platform/telemetry/metrics';
import { type DelaySummary, RecentDelays } from '@connector/platform/telemetry/recent-delays';

export interface ClaimDelaySummary {
  readonly by_wake: DelaySummary;
  readonly by_poll: DelaySummary;
}

/**
 * How long accounts had been due when they were claimed, apart by whether a hint or the poll led to the look. What is found while the loop is at
 * work anyway was waited for by neither and counts for neither.
 */
export class ClaimDelays {
  readonly #telemetry: Pick<Telemetry, 'claimDelay'>;
  readonly #delays = { wake: new RecentDelays(), poll: new RecentDelays() };

  constructor(telemetry: Pick<Telemetry, 'claimDelay'>) {
    this.#telemetry = telemetry;
  }

  note(led: Led, ms: number): void {
    if (led === 'work') return;
    this.#delays[led].note(ms);
    this.#telemetry.claimDelay(led, ms / 1000);
  }

  summary(): ClaimDelaySummary {
    return { by_wake: this.#delays.wake.summary(), by_poll: this.#delays.poll.summary() };
  }
}
