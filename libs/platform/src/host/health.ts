import type { Loop } from './loop';
import { within } from './within';

/** Resolves while the thing is well, rejects when it is not. */
export type Check = () => Promise<unknown>;
export interface CheckState {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}
export interface Readiness {
  readonly ready: boolean;
  readonly draining: boolean;
  readonly failing: readonly string[];
  readonly checks: readonly CheckState[];
}

const CHECK_MS_MAX = 1_000;

/** Whether this process may take work. Liveness is not here on purpose: it touches nothing (stack 4.4). */
export class Health {
  readonly #checks = new Map<string, Check>();
  readonly #asking = new Map<string, Promise<CheckState>>();
  readonly #loops: Loop[] = [];
  #started = false;
  #draining = false;

  /** Adds a condition of readiness: the database, a registered holder, the lag of a batch queue. Bounded to one second. */
  addCheck(name: string, check: Check): void {
    this.#checks.set(name, check);
  }

  addLoop(loop: Loop): void {
    this.#loops.push(loop);
  }

  get started(): boolean {
    return this.#started;
  }

  get draining(): boolean {
    return this.#draining;
  }

  markStarted(): void {
    this.#started = true;
  }

  markDraining(): void {
    this.#draining = true;
  }

  async readiness(): Promise<Readiness> {
    const asked = [...this.#checks].map(([name, check]) => this.#ask(name, check));
    const checks = [...(await Promise.all(asked)), ...this.#loops.map(loopState)];
    const failing = checks.filter(({ ok }) => !ok).map(({ name }) => name);
    return { ready: this.#started && !this.#draining && failing.length === 0, draining: this.#draining, failing, checks };
  }

  /** One question of a kind at a time: a database that hangs must not collect one waiting connection per probe. */
  #ask(name: string, check: Check): Promise<CheckState> {
    const asking = this.#asking.get(name) ?? this.#start(name, check);
    const late = { name, ok: false, detail: `no answer in ${CHECK_MS_MAX} ms` };
    return within(CHECK_MS_MAX, asking).catch(() => late);
  }

  #start(name: string, check: Check): Promise<CheckState> {
    const asking = Promise.resolve()
      .then(check)
      .then(
        () => ({ name, ok: true, detail: 'ok' }),
        (thrown: unknown) => ({ name, ok: false, detail: thrown instanceof Error ? thrown.name : 'failed' }),
      )
      .finally(() => this.#asking.delete(name));
    this.#asking.set(name, asking);
    return asking;
  }
}

function loopState(loop: Loop): CheckState {
  const { ok, beatMs } = loop.state();
  return { name: `loop ${loop.name}`, ok, detail: `last look began ${beatMs} ms ago` };
}
