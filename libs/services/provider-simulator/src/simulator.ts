import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TOKEN_HEADER } from '@connector/platform/egress-proxy/forwarded-headers';
import type { JsonObject } from '@connector/kernel/jcs';
import type { Entry } from './entry';
import { exchange, type World } from './exchange';
import { FaultPlan, type PlannedFault } from './fault-plan';
import { Journal } from './journal';
import { Ledger } from './ledger';
import { PERSONALITIES } from './personalities';

export interface SimulatorOptions {
  /** What the egress proxy adds; nothing else is let in. */
  readonly proxyToken: string;
  /** Absolute path of the ledger's file; absent: memory alone. */
  readonly ledgerFile?: string;
}
export interface HostState {
  readonly host: string;
  readonly recordCount: number;
  /** The oldest ones, at most 500. */
  readonly records: readonly JsonObject[];
  /** By key, at most 500 keys: how often it was called, and how often that was executed. */
  readonly calls: readonly { readonly key: string; readonly calls: number; readonly executed: number }[];
}
export interface SimulatorState {
  readonly hosts: readonly HostState[];
  readonly faults: readonly PlannedFault[];
  readonly entries: number;
  readonly last: number;
}

const LISTED_MAX = 500;
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The providers, their ledger and their faults, in one process. */
export class Simulator {
  readonly ledger: Ledger;
  private readonly faults = new FaultPlan();
  private readonly closing = new AbortController();
  private readonly world: World;

  constructor({ proxyToken, ledgerFile }: SimulatorOptions) {
    this.ledger = new Ledger(new Journal(ledgerFile));
    const expected = sha256(proxyToken);
    const fromProxy = (req: IncomingMessage): boolean => {
      const [token, ...others] = req.headersDistinct[TOKEN_HEADER] ?? [];
      return token !== undefined && others.length === 0 && timingSafeEqual(sha256(token), expected);
    };
    this.world = { ledger: this.ledger, faults: this.faults, closing: this.closing.signal, fromProxy };
  }

  /** Takes requests for one of the providers; leaves all others to `next`. By host first: no path of a provider reaches the controls. */
  handle(req: IncomingMessage & { readonly originalUrl?: string }, res: ServerResponse, next: (thrown?: unknown) => void): void {
    const host = req.headers.host ?? '';
    const behaviour = PERSONALITIES.get(host);
    if (behaviour === undefined) return next();
    const target = req.originalUrl ?? req.url ?? '';
    exchange(this.world, { host, behaviour, target }, req, res).catch(next);
  }

  /** What is wrong with it, or undefined. */
  plan(fault: PlannedFault): 'no-such-host' | 'too-many' | undefined {
    if (!PERSONALITIES.has(fault.host)) return 'no-such-host';
    return this.faults.add(fault) ? undefined : 'too-many';
  }

  page(after: number, limit: number): Entry[] {
    return this.ledger.page(after, limit);
  }

  state(): SimulatorState {
    const hosts = [...PERSONALITIES.keys()].map((host) => this.stateOf(host));
    return { hosts, faults: this.faults.list(), entries: this.ledger.size, last: this.ledger.lastN };
  }

  reset(): void {
    this.ledger.reset();
    this.faults.clear();
  }

  /** Cuts the answers that a `slow` fault holds back, now and later. */
  stopWaiting(): void {
    this.closing.abort();
  }

  close(): void {
    this.ledger.close();
  }

  private stateOf(host: string): HostState {
    const records = this.ledger.recordsOf(host);
    const calls = new Map<string, { calls: number; executed: number }>();
    for (const { key, executed } of this.ledger.of(host)) {
      if (key === null) continue;
      const seen = calls.get(key) ?? { calls: 0, executed: 0 };
      calls.set(key, { calls: seen.calls + 1, executed: seen.executed + Number(executed) });
    }
    const listed = [...calls].slice(0, LISTED_MAX).map(([key, counts]) => ({ key, ...counts }));
    return { host, recordCount: records.count, records: records.list(LISTED_MAX), calls: listed };
  }
}
