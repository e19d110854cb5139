import { setImmediate as turn } from 'node:timers/promises';
import { Fault, RetryableFault, UndeterminedFault } from '@connector/kernel/faults';
import type { Log } from '../telemetry/log';
import type { Telemetry } from '../telemetry/metrics';
import { Signal, type WaitEnd } from './signal';

/** What led to a look: a hint, the loop's own poll, or work that it was at already. */
export type Led = 'wake' | 'poll' | 'work';

export interface LoopSpec {
  readonly name: string;
  /** The longest wait between two looks, ms; jittered down by up to a quarter so that instances drift apart. */
  readonly pollMs: number;
  /** One look: claims and does what it finds. `signal` aborts when the loop must stop; what is in hand is then finished, nothing new is taken. */
  readonly once: (signal: AbortSignal, led: Led) => Promise<'worked' | 'idle'>;
  readonly wake?: Signal;
  /** A run that takes longer makes the service unready; default the larger of 30 s and ten polls. */
  readonly stuckMs?: number;
}

export interface LoopHost {
  readonly log: Log;
  readonly telemetry: Telemetry;
  /** Called once when the loop ended by itself: something is wrong that retrying will not mend. */
  readonly onDefect: (loop: string, thrown: unknown) => void;
  readonly random?: () => number;
}

const LED: Readonly<Record<WaitEnd, Led>> = { woken: 'wake', timeout: 'poll', poked: 'work', stopped: 'work' };
const BACKOFF_MS_FIRST = 100;
const BACKOFF_MS_MAX = 5_000;

/**
 * Look; look again at once after work; else wait for a wake, at most `pollMs`. RetryableFault and UndeterminedFault back off and run the
 * same look again; anything else ends the loop, because going on would repeat a mistake (house 4.3).
 */
export class Loop {
  readonly name: string;
  readonly #spec: LoopSpec;
  readonly #host: LoopHost;
  readonly #stop = new AbortController();
  readonly #wake: Signal;
  #running: Promise<void> | undefined;
  #beatAt = performance.now();
  #failures = 0;
  #defect = false;
  #led: Led = 'poll';

  constructor(spec: LoopSpec, host: LoopHost) {
    this.name = spec.name;
    this.#spec = spec;
    this.#host = host;
    this.#wake = spec.wake ?? new Signal();
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Takes no new work and resolves when the current run ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** What readiness shows. */
  state(): { readonly ok: boolean; readonly beatMs: number } {
    const beatMs = Math.round(performance.now() - this.#beatAt);
    return { ok: !this.#defect && beatMs <= (this.#spec.stuckMs ?? Math.max(30_000, 10 * this.#spec.pollMs)), beatMs };
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted && !this.#defect) {
      this.#beatAt = performance.now();
      await this.#look();
    }
  }

  async #look(): Promise<void> {
    try {
      const answer = await this.#spec.once(this.#stop.signal, this.#led);
      this.#failures = 0;
      this.#host.telemetry.loopRun(this.name, answer);
      // Other work of the process gets its turn even when every look finds something.
      if (answer === 'worked') await turn();
      this.#led = answer === 'worked' ? 'work' : LED[await this.#wake.wait(this.#pollMs(), this.#stop.signal)];
    } catch (thrown) {
      await this.#failed(thrown);
    }
  }

  async #failed(thrown: unknown): Promise<void> {
    this.#host.telemetry.loopRun(this.name, 'fault');
    this.#host.telemetry.fault(thrown);
    if (!(thrown instanceof RetryableFault || thrown instanceof UndeterminedFault)) return this.#end(thrown);
    this.#failures += 1;
    this.#host.log.warn('loop-fault', {
      loop: this.name,
      fault: thrown.name,
      code: thrown.code,
      detail: thrown.message,
      attempts: this.#failures,
    });
    // A wake does not shorten this: a storm of hints must not turn a fault into a busy loop.
    await new Signal().wait(this.#backoffMs(), this.#stop.signal);
  }

  #end(thrown: unknown): void {
    this.#defect = true;
    const error = thrown instanceof Fault ? { fault: thrown.name, code: thrown.code } : { fault: 'Unknown' };
    const stack = thrown instanceof Error ? thrown.stack : undefined;
    this.#host.log.error('loop-defect', { loop: this.name, ...error, stack });
    this.#host.onDefect(this.name, thrown);
  }

  #pollMs(): number {
    return this.#spec.pollMs * (1 - this.#random() / 4);
  }

  /** Exponential with full jitter, capped; never zero. */
  #backoffMs(): number {
    const ceiling = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_FIRST * 2 ** Math.min(this.#failures - 1, 16));
    return Math.max(10, ceiling * this.#random());
  }

  #random(): number {
    return (this.#host.random ?? Math.random)();
  }
}
