import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { LocalRelay } from '@connector/platform/wake/local-relay';
import { ipcChannel } from '@connector/platform/wake/wake-channel';
import { backoffMs, STARTS_MAX } from './backoff';
import { isReady } from './ready';

/** sysexits' EX_CONFIG: starting again would not help. */
const EXIT_CONFIG = 78;
const LOOK_EVERY_MS = 50;

/** What one start of a service is made of. */
export interface Launch {
  readonly program: string;
  readonly generation: string;
  readonly env: NodeJS.ProcessEnv;
}
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}
export interface ServiceSpec {
  readonly name: string;
  readonly url: string;
  readonly logFile: string;
  readonly execArgv: readonly string[];
  readonly relay: LocalRelay;
  /** Called before each start; what it returns is started. */
  launch(): Promise<Launch>;
  /** Called when a process stands, with its pid. */
  started(): void;
  /** Called after each end, before anything else is started in its place. */
  ended(launch: Launch, exit: Exit): Promise<void>;
  tell(line: string): void;
}
export type ServiceState = 'starting' | 'ready' | 'stopping' | 'stopped' | 'waiting' | 'failed';

/** One service of this machine: started, watched, started again when it ends by itself, ended when it is asked to. */
export class ServiceProcess {
  readonly #spec: ServiceSpec;
  readonly #stop = new AbortController();
  #child: ChildProcess | undefined;
  #launch: Launch | undefined;
  #state: ServiceState = 'starting';
  #failures = 0;
  #starts = 0;
  #running: Promise<void> | undefined;

  constructor(spec: ServiceSpec) {
    this.#spec = spec;
  }

  get name(): string {
    return this.#spec.name;
  }

  get url(): string {
    return this.#spec.url;
  }

  get state(): ServiceState {
    return this.#state;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get generation(): string | undefined {
    return this.#launch?.generation;
  }

  /** Starts after the first one. */
  get restarts(): number {
    return Math.max(0, this.#starts - 1);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends what runs, and another takes its place; one that was left alone gets its tries back. */
  restart(signal: NodeJS.Signals): void {
    if (this.#state !== 'failed') return void this.kill(signal);
    this.#failures = 0;
    this.#running = this.#run();
  }

  /** SIGKILL is what a crash looks like; SIGSTOP what a frozen machine looks like. False when nothing runs. */
  kill(signal: NodeJS.Signals): boolean {
    return this.#child?.kill(signal) ?? false;
  }

  /** SIGTERM, and SIGKILL when it has not ended after `ms`. It is not started again. */
  async stop(ms: number): Promise<void> {
    this.#stop.abort();
    if (this.#state !== 'failed') this.#state = 'stopping';
    this.#child?.kill('SIGTERM');
    const late = setTimeout(() => this.#child?.kill('SIGKILL'), ms);
    await this.#running;
    clearTimeout(late);
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const launch = await this.#prepared();
      if (launch === undefined) return;
      const exit = await this.#live(launch);
      await this.#spec.ended(launch, exit);
      if (this.#stop.signal.aborted || !(await this.#mayStartAgain(exit))) break;
    }
    if (this.#state !== 'failed') this.#state = 'stopped';
  }

  /** A start that cannot even be made is the supervisor's own trouble; its other services go on. */
  async #prepared(): Promise<Launch | undefined> {
    try {
      return await this.#spec.launch();
    } catch (thrown) {
      this.#state = 'failed';
      this.#spec.tell(`${this.name} cannot be started: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      return undefined;
    }
  }

  async #live(launch: Launch): Promise<Exit> {
    const { name, logFile, execArgv, relay } = this.#spec;
    mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
    const log = openSync(logFile, 'a', 0o600);
    // In a process group of its own: Ctrl-C reaches the supervisor, and it says in which order the others end.
    const child = fork(launch.program, [], {
      env: launch.env,
      execArgv: [...execArgv],
      stdio: ['ignore', log, log, 'ipc'],
      detached: true,
    });
    closeSync(log);
    const detach = relay.attach(ipcChannel(child));
    const over = new AbortController();
    const ended = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
      child.once('error', (error) => {
        this.#spec.tell(`${name} could not be started: ${error.message}`);
        if (child.pid === undefined) resolve({ code: 1, signal: null });
      });
    });
    [this.#child, this.#launch] = [child, launch];
    this.#starts += 1;
    this.#state = this.#stop.signal.aborted ? 'stopping' : 'starting';
    if (this.#stop.signal.aborted) child.kill('SIGTERM');
    this.#spec.started();
    void this.#watch(over.signal);
    const exit = await ended;
    over.abort();
    detach();
    this.#child = undefined;
    return exit;
  }

  /** Until it was ready once: from then on a further end is a first one again. */
  async #watch(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      if (await isReady(this.#spec.url)) {
        if (over.aborted || this.#state !== 'starting') return;
        this.#state = 'ready';
        this.#failures = 0;
        return;
      }
      await pause(LOOK_EVERY_MS, undefined, { signal: over }).catch(() => undefined);
    }
  }

  async #mayStartAgain({ code, signal }: Exit): Promise<boolean> {
    const { name, logFile, tell } = this.#spec;
    this.#failures += 1;
    if (code === EXIT_CONFIG || this.#failures >= STARTS_MAX) {
      this.#state = 'failed';
      tell(
        `${name} ${code === EXIT_CONFIG ? 'cannot run as it is configured' : `ended ${STARTS_MAX} times in a row`}; it is left alone. See ${logFile}`,
      );
      return false;
    }
    this.#state = 'waiting';
    tell(`${name} ended (${signal ?? code ?? 'unknown'}), starting it again`);
    await pause(backoffMs(this.#failures - 1), undefined, { signal: this.#stop.signal }).catch(() => undefined);
    return !this.#stop.signal.aborted;
  }
}
