import type { Log } from '../telemetry/log';
import type { Health } from './health';
import type { HostProcess } from './process';
import { within } from './within';

export interface Step {
  readonly name: string;
  readonly run: () => Promise<unknown>;
}
export type EndReason = 'asked' | 'SIGTERM' | 'SIGINT' | 'supervisor-gone' | 'defect';

export interface ShutdownPlan {
  readonly health: Health;
  readonly log: Log;
  readonly proc: HostProcess;
  /** Bound of the draining phases together, ms. */
  readonly drainMs: number;
  /** Loops end their run and requests in hand are answered, side by side: each may wait for the other. */
  quiesce(): readonly Step[];
  /** Then what they left behind is emptied. */
  drains(): readonly Step[];
  /** Then the server closes, and after it, one by one, what it used. */
  closes(): readonly Step[];
}

const CLOSE_MS_MAX = 3_000;
const GRACE_MS = 2_000;

/**
 * The one way to end (stack 4.3): unready at once, no new work, drain, close, exit. It happens once; further signals change nothing, and a
 * step that hangs is passed over when its bound is up. Whatever is cut off here is safe to cut off: a commit decides, never an exit.
 */
export class Shutdown {
  readonly #plan: ShutdownPlan;
  #ending: Promise<void> | undefined;
  #code = 0;

  constructor(plan: ShutdownPlan) {
    this.#plan = plan;
  }

  /** Listens to the process: signals, a supervisor that went away, and what nobody caught. */
  attach(): void {
    const { proc } = this.#plan;
    const fatal = (thrown: unknown): void => this.#fatal(thrown);
    proc.on('SIGTERM', () => void this.begin('SIGTERM'));
    proc.on('SIGINT', () => void this.begin('SIGINT'));
    proc.on('uncaughtException', fatal);
    proc.on('unhandledRejection', fatal);
    if (!proc.supervised) return;
    // An orphan would go on claiming under a generation whose end the next supervisor may have to prove.
    proc.on('disconnect', () => void this.begin('supervisor-gone'));
    if (!proc.channel.connected) void this.begin('supervisor-gone');
  }

  /** Resolves when everything is closed. A defect makes the exit code 1, also when it comes while draining. */
  begin(reason: EndReason): Promise<void> {
    if (reason === 'defect') this.#code = 1;
    this.#ending ??= this.#end(reason);
    return this.#ending;
  }

  async #end(reason: EndReason): Promise<void> {
    const { health, log, proc, drainMs } = this.#plan;
    health.markDraining();
    log.info('draining', { reason });
    const closes = this.#plan.closes();
    const force = setTimeout(() => this.#force(), drainMs + closes.length * CLOSE_MS_MAX + GRACE_MS);
    force.unref();
    const until = performance.now() + drainMs;
    await this.#together(this.#plan.quiesce(), until);
    await this.#together(this.#plan.drains(), until);
    for (const step of closes) await this.#one(step, CLOSE_MS_MAX);
    clearTimeout(force);
    log.info('ended', { reason, status: this.#code });
    log.flush();
    proc.exit(this.#code);
  }

  async #together(steps: readonly Step[], until: number): Promise<void> {
    await Promise.all(steps.map((step) => this.#one(step, Math.max(0, until - performance.now()))));
  }

  /** A step that fails or hangs must not keep the ones behind it from running. */
  async #one({ name, run }: Step, ms: number): Promise<void> {
    try {
      await within(ms, Promise.resolve().then(run), name);
    } catch (thrown) {
      this.#plan.log.error('shutdown-step', { reason: name, detail: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  }

  #force(): void {
    this.#plan.log.error('shutdown-forced');
    this.#plan.log.flush();
    this.#plan.proc.exit(1);
  }

  /** State is unknown after this: no drain, the process ends and its supervisor starts a clean one. */
  #fatal(thrown: unknown): void {
    this.#plan.log.error('uncaught', { stack: thrown instanceof Error ? thrown.stack : String(thrown) });
    this.#plan.log.flush();
    this.#plan.proc.exit(1);
  }
}
