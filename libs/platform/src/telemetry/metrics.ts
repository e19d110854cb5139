import { performance } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { Fault } from '@connector/kernel/faults';
import { within } from '../host/within';

/** Ready work of one stage: rows, and the age of the oldest in seconds by the database's clock. */
export interface ReadyWork {
  readonly stage: string;
  readonly rows: number;
  readonly oldestAgeSeconds: number;
}
/** Asked at every scrape, never by a timer. */
export type ReadySource = () => Promise<readonly ReadyWork[]>;
export type WakeKind = 'emitted' | 'received' | 'dropped';
export type LoopAnswer = 'worked' | 'idle' | 'fault';

const SOURCE_MS_MAX = 1_000;
const CLAIM_BUCKETS_SECONDS = [0.005, 0.02, 0.05, 0.1, 0.5, 1, 5, 30];
const STATEMENT_BUCKETS_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2];

/** Every metric, declared once. Label values come from closed sets of the code; never an id, an account or a message. */
function declare(registry: Registry) {
  const registers = [registry];
  return {
    outcomes: new Counter({
      name: 'connector_outcomes_total',
      help: 'Outcomes by door, path and kind',
      labelNames: ['door', 'path', 'kind'],
      registers,
    }),
    statements: new Histogram({
      name: 'connector_statement_seconds',
      help: 'Time of a named statement',
      labelNames: ['statement'],
      buckets: STATEMENT_BUCKETS_SECONDS,
      registers,
    }),
    readyRows: new Gauge({ name: 'connector_ready_rows', help: 'Rows ready for a stage', labelNames: ['stage'], registers }),
    readyAge: new Gauge({
      name: 'connector_oldest_ready_age_seconds',
      help: 'Age of the oldest ready row of a stage',
      labelNames: ['stage'],
      registers,
    }),
    loopRuns: new Counter({
      name: 'connector_loop_runs_total',
      help: 'Runs of a loop by answer',
      labelNames: ['loop', 'answer'],
      registers,
    }),
    refusals: new Counter({
      name: 'connector_refused_deliveries_total',
      help: 'Deliveries that were not admitted, by why',
      labelNames: ['reason'],
      registers,
    }),
    wakes: new Counter({ name: 'connector_wakes_total', help: 'Wake hints by kind', labelNames: ['kind'], registers }),
    claimDelay: new Histogram({
      name: 'connector_claim_delay_seconds',
      help: 'From when an account became due to its claim, by what led to the look',
      labelNames: ['led'],
      buckets: CLAIM_BUCKETS_SECONDS,
      registers,
    }),
    faults: new Counter({ name: 'connector_faults_total', help: 'Faults by class and code', labelNames: ['class', 'code'], registers }),
    build: new Gauge({ name: 'connector_build_info', help: 'Always 1', labelNames: ['service', 'version', 'node'], registers }),
    resident: new Gauge({ name: 'process_resident_memory_bytes', help: 'Resident memory', registers }),
    heap: new Gauge({ name: 'nodejs_heap_used_bytes', help: 'Used heap', registers }),
    cpu: new Gauge({ name: 'process_cpu_seconds_total', help: 'CPU time of the process, user and system', registers }),
    busy: new Gauge({ name: 'nodejs_eventloop_utilization', help: 'Busy share of the event loop since the last scrape', registers }),
  };
}

/** The figures of one process. Passed around explicitly: two services in one test must not share a counter. */
export class Telemetry {
  readonly #registry = new Registry();
  readonly #metrics = declare(this.#registry);
  readonly #sources: ReadySource[] = [];
  #loopUse = performance.eventLoopUtilization();

  constructor(build: { readonly service: string; readonly version: string }) {
    this.#metrics.build.set({ ...build, node: process.version }, 1);
  }

  outcome(door: string, kind: string, path = ''): void {
    this.#metrics.outcomes.inc({ door, path, kind });
  }

  statement(statement: string, seconds: number): void {
    this.#metrics.statements.observe({ statement }, seconds);
  }

  loopRun(loop: string, answer: LoopAnswer): void {
    this.#metrics.loopRuns.inc({ loop, answer });
  }

  /** `reason`: a word of the ingress. */
  refusedDelivery(reason: string): void {
    this.#metrics.refusals.inc({ reason });
  }

  wake(kind: WakeKind, count = 1): void {
    this.#metrics.wakes.inc({ kind }, count);
  }

  claimDelay(led: 'wake' | 'poll', seconds: number): void {
    this.#metrics.claimDelay.observe({ led }, seconds);
  }

  /** Counts what was thrown; what is none of the four faults counts as class `Unknown`. */
  fault(thrown: unknown): void {
    const known = thrown instanceof Fault;
    this.#metrics.faults.inc({ class: known ? thrown.name : 'Unknown', code: known ? thrown.code : 'none' });
  }

  /** Registers the query behind `connector_ready_rows` and `connector_oldest_ready_age_seconds`. */
  collectReady(source: ReadySource): void {
    this.#sources.push(source);
  }

  /** The exposition text. A source that fails or is slow is counted as a fault and its gauges are absent, not stale. */
  async expose(): Promise<string> {
    this.#process();
    this.#metrics.readyRows.reset();
    this.#metrics.readyAge.reset();
    await Promise.all(this.#sources.map((source) => this.#collect(source)));
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  async #collect(source: ReadySource): Promise<void> {
    try {
      for (const { stage, rows, oldestAgeSeconds } of await within(SOURCE_MS_MAX, source())) {
        this.#metrics.readyRows.set({ stage }, rows);
        this.#metrics.readyAge.set({ stage }, oldestAgeSeconds);
      }
    } catch (thrown) {
      this.fault(thrown);
    }
  }

  #process(): void {
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const loopUse = performance.eventLoopUtilization();
    this.#metrics.resident.set(rss);
    this.#metrics.heap.set(heapUsed);
    this.#metrics.cpu.set((user + system) / 1e6);
    this.#metrics.busy.set(performance.eventLoopUtilization(loopUse, this.#loopUse).utilization);
    this.#loopUse = loopUse;
  }
}
