import { setTimeout as pause } from 'node:timers/promises';
import { InputFault, invariant, RetryableFault } from '@connector/kernel/faults';
import { GenerationId } from '@connector/kernel/ids';
import { type ServiceClient, serviceClient } from '@connector/platform/http/service-client';
import type { LocalRelay } from '@connector/platform/wake/local-relay';
import type { EgressWay } from './egress-way';
import { type DatabasePlace, environmentWith, type Settings, settingsOf, urlOf } from './environment';
import type { Generation, GenerationJournal } from './generation-journal';
import { type Layout, programOf } from './layout';
import { endLeftovers } from './living';
import { tokenRef } from './mint-secrets';
import { ADAPTER, type ProcessName, type ProcessPlan, SERVICE_PLANS } from './plan';
import type { Ports } from './ports';
import { ReceiptOffice, type Tell } from './receipts';
import type { SecretStore } from './secret-store';
import { type Exit, type Launch, ServiceProcess, type ServiceState } from './service-process';

/** Small young generations, no source maps, one compiler thread: most of these processes wait most of the time. */
export const LEAN_ARGV = ['--max-semi-space-size=1', '--max-old-space-size=256', '--v8-pool-size=1', '--no-deprecation'];
const CONTROL_MS_MAX = 5_000;
/** Longer than the longest call of the demo: what is cut off is uncertain, never lost. */
const STOP_MS_MAX = 20_000;
const RECEIPTS_MS_MAX = 3_000;
const LOOK_EVERY_MS = 20;

export interface SupervisorParts {
  /** In the order in which they are stopped. */
  readonly processes: readonly ProcessPlan[];
  readonly layout: Layout;
  readonly ports: Ports;
  readonly database: DatabasePlace;
  readonly store: SecretStore;
  readonly journal: GenerationJournal;
  readonly egress: EgressWay;
  readonly tell: Tell;
  readonly surrounding: NodeJS.ProcessEnv;
  /** For every service, beside what it is told anyway. */
  readonly settings: Settings;
  readonly relay: LocalRelay;
  readonly onEnd: (end: SeenEnd) => void;
  /** Called after every start and end of a process. */
  readonly onChange: () => void;
}
export interface SeenEnd extends Exit {
  readonly name: ProcessName;
  readonly generation: string;
}
export interface ServiceView {
  readonly name: string;
  readonly state: ServiceState;
  readonly url: string;
  readonly pid: number | null;
  readonly generation: string | null;
  readonly restarts: number;
}

/** Every service of one machine as a process of its own. What it knows of adapters that died stands in its journal, never only in memory. */
export class Supervisor {
  readonly #parts: SupervisorParts;
  readonly #services = new Map<string, ServiceProcess>();
  readonly #onceMore = new Map<string, Settings>();
  readonly #generations = new Map<string, Generation>();
  readonly #control: ServiceClient;
  readonly #office: ReceiptOffice;

  private constructor(parts: SupervisorParts, token: string) {
    this.#parts = parts;
    this.#control = serviceClient({ baseUrl: urlOf(parts.ports, 'control'), token, timeoutMs: CONTROL_MS_MAX });
    const { journal, egress, tell } = parts;
    this.#office = new ReceiptOffice({ control: this.#control, journal, cutOff: (generation) => egress.withdraw(generation), tell });
    for (const plan of parts.processes) this.#services.set(plan.process, this.#process(plan));
  }

  /** Ends and proves what an earlier supervisor left behind, then starts every service. */
  static async start(parts: SupervisorParts): Promise<Supervisor> {
    const supervisor = new Supervisor(parts, await parts.store.read(tokenRef('local', 'control')));
    const left = parts.journal.unproved;
    await endLeftovers(left.map(({ generation }) => generation));
    const end = { at: new Date().toISOString(), how: 'found gone by the next supervisor' };
    for (const generation of left) supervisor.#office.add(generation, end);
    // The last ones to be stopped are the first that others ask.
    for (const service of [...supervisor.#services.values()].reverse()) service.start();
    return supervisor;
  }

  get services(): readonly ServiceView[] {
    return [...this.#services.values()].map(({ name, state, url, pid, generation, restarts }) => ({
      ...{ name, state, url, restarts },
      pid: pid ?? null,
      generation: generation ?? null,
    }));
  }

  /** Resolves when these are ready; throws when one is left alone, or RetryableFault after `ms`. */
  async ready(ms: number, names: readonly ProcessName[] = this.#parts.processes.map(({ process }) => process)): Promise<void> {
    for (const until = performance.now() + ms; ; await pause(LOOK_EVERY_MS)) {
      const states = names.map((name) => this.#named(name));
      const failed = names.find((_, at) => states[at]?.state === 'failed');
      if (failed !== undefined)
        throw new InputFault('HOUSE:local:ServiceFailed', `${failed} cannot run; see ${this.#parts.layout.log(failed)}`);
      const missing = states.filter(({ state }) => state !== 'ready').map(({ name }) => name);
      if (missing.length === 0) return;
      if (performance.now() > until) throw new RetryableFault('HOUSE:local:NotReady', `not ready after ${ms} ms: ${missing.join(', ')}`);
    }
  }

  /** False when nothing of that name runs. */
  kill(name: string, signal: NodeJS.Signals): boolean {
    return this.#named(name).kill(signal);
  }

  /** The next start, and that one alone, gets these settings beside its own. */
  arm(name: string, settings: Settings): void {
    this.#onceMore.set(this.#named(name).name, settings);
  }

  /** Ends it, and starts it again with `arm`. */
  restart(name: string, signal: NodeJS.Signals = 'SIGTERM', settings: Settings = {}): void {
    this.arm(name, settings);
    this.#named(name).restart(signal);
  }

  /** Takes the adapter that runs its way out and lets it live; undefined when none runs. */
  async withdraw(): Promise<string | undefined> {
    const { generation } = this.#named(ADAPTER);
    if (generation !== undefined) await this.#parts.egress.withdraw(GenerationId.parse(generation));
    return generation;
  }

  /**
   * For an adapter that does not answer and may wake up again: its way out is withdrawn first, then it is ended; only when it is gone are the
   * receipts written. Undefined when it does not run.
   */
  async isolate(): Promise<string | undefined> {
    const generation = await this.withdraw();
    if (generation !== undefined) this.#named(ADAPTER).kill('SIGKILL');
    return generation;
  }

  /** Services first, each after those that need it; control stays until the receipts of the last adapter stand. */
  async stop(): Promise<void> {
    const first = new Set(SERVICE_PLANS.slice(0, 5).map(({ name }) => name));
    const groups = [true, false].map((early) => this.#parts.processes.filter(({ name }) => first.has(name) === early));
    for (const [at, group] of groups.entries()) {
      await Promise.all(group.map(({ process }) => this.#named(process).stop(STOP_MS_MAX)));
      if (at === 0) await this.#office.close(RECEIPTS_MS_MAX);
    }
    await this.#control.close();
  }

  #named(name: string): ServiceProcess {
    const service = this.#services.get(name);
    if (service === undefined) throw new InputFault('HOUSE:local:NoSuchService', `no service is called ${name}`);
    return service;
  }

  #process(plan: ProcessPlan): ServiceProcess {
    const { layout, ports, relay, tell, onChange } = this.#parts;
    return new ServiceProcess({
      name: plan.process,
      url: urlOf(ports, plan.process),
      logFile: layout.log(plan.process),
      execArgv: LEAN_ARGV,
      relay,
      tell,
      started: onChange,
      launch: () => this.#launch(plan),
      ended: (launch, exit) => this.#ended(plan, launch, exit),
    });
  }

  /** A generation of the adapter is written down before it exists and let out before it starts. */
  async #launch(plan: ProcessPlan): Promise<Launch> {
    const { layout, ports, database, surrounding, settings, journal, egress } = this.#parts;
    const adapter = plan.name === ADAPTER ? journal.begin() : undefined;
    const generation = adapter?.generation ?? GenerationId.mint();
    if (adapter !== undefined) {
      this.#generations.set(generation, adapter);
      await egress.admit(adapter.generation);
    }
    const own = settingsOf(plan, generation, layout, ports, database);
    const env = environmentWith({ ...own, ...settings, ...this.#onceMore.get(plan.process) }, surrounding);
    this.#onceMore.delete(plan.process);
    return { program: programOf(plan.name), generation, env };
  }

  #ended(plan: ProcessPlan, { generation }: Launch, { code, signal }: Exit): Promise<void> {
    this.#parts.onEnd({ name: plan.process, generation, code, signal });
    this.#parts.onChange();
    if (plan.name !== ADAPTER) return Promise.resolve();
    const adapter = this.#generations.get(generation);
    invariant(adapter !== undefined, 'HOUSE:local:GenerationUnknown', generation);
    this.#generations.delete(generation);
    this.#office.add(adapter, { at: new Date().toISOString(), how: `exit ${signal ?? code ?? 'unknown'}` });
    return Promise.resolve();
  }
}
