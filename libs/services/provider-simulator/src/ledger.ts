import type { Effect } from './effect';
import type { Arrival, Change, Entry, Line } from './entry';
import type { Journal } from './journal';
import { Records } from './records';

const NEW = {
  key: null,
  request: 'arriving',
  bytes: 0,
  body: '',
  fault: null,
  executed: false,
  replayed: false,
  status: null,
  answer: 'none',
} as const;
export const ENTRIES_MAX = 100_000;
const PAGE_BYTES = 1024 * 1024;

/**
 * What really happened, for tests to compare with: append-only, in memory and, with a file, in one line per step. Each line
 * is handed to the kernel before the step shows outside, so a kill of any process loses none; there is no fsync.
 */
export class Ledger {
  private readonly entries = new Map<number, Entry>();
  private readonly records = new Map<string, Records>();
  private last = 0;

  constructor(private readonly journal: Journal) {
    for (const line of journal.read()) this.apply(line);
    for (const { n, request } of [...this.entries.values()]) if (request === 'arriving') this.change(n, { request: 'cut' });
  }

  get full(): boolean {
    return this.entries.size >= ENTRIES_MAX;
  }

  get size(): number {
    return this.entries.size;
  }

  get lastN(): number {
    return this.last;
  }

  arrive(arrival: Arrival): number {
    const n = this.last + 1;
    this.write({ kind: 'arrived', n, arrival });
    return n;
  }

  /** Counted in memory alone: the line comes when the request is whole or cut. */
  count(n: number, bytes: number): void {
    const entry = this.entries.get(n);
    if (entry !== undefined) this.entries.set(n, { ...entry, bytes: entry.bytes + bytes });
  }

  change(n: number, change: Change): void {
    this.write({ kind: 'changed', n, change });
  }

  execute(n: number, effect: Effect): void {
    this.write({ kind: 'executed', n, effect });
  }

  reset(): void {
    this.write({ kind: 'reset', n: this.last });
  }

  recordsOf(host: string): Records {
    const found = this.records.get(host) ?? new Records();
    this.records.set(host, found);
    return found;
  }

  /** Entries after `n`, oldest first: at most `limit`, and about 1 MiB of bodies. */
  page(after: number, limit: number): Entry[] {
    const page: Entry[] = [];
    let bytes = 0;
    for (const [n, entry] of this.entries) {
      if (n <= after) continue;
      if (page.length === limit || bytes > PAGE_BYTES) break;
      page.push(entry);
      bytes += entry.body.length;
    }
    return page;
  }

  *of(host: string): Iterable<Entry> {
    for (const entry of this.entries.values()) if (entry.host === host) yield entry;
  }

  close(): void {
    this.journal.close();
  }

  private write(line: Line): void {
    this.journal.append(line);
    this.apply(line);
  }

  private apply(line: Line): void {
    this.last = Math.max(this.last, line.n);
    if (line.kind === 'reset') {
      this.entries.clear();
      this.records.clear();
      return;
    }
    const entry = line.kind === 'arrived' ? { ...NEW, ...line.arrival, n: line.n } : this.entries.get(line.n);
    // An answer that was under way when everything was reset belongs to no entry any more.
    if (entry === undefined) return;
    if (line.kind === 'executed') this.recordsOf(line.effect.host).apply(line.effect);
    this.entries.set(line.n, {
      ...entry,
      ...(line.kind === 'changed' ? line.change : {}),
      ...(line.kind === 'executed' ? { executed: true } : {}),
    });
  }
}
