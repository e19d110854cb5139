import { setTimeout as pause } from 'node:timers/promises';
import { RetryableFault } from '@connector/kernel/faults';
import type { GenerationId } from '@connector/kernel/ids';
import type { ServiceClient } from '@connector/platform/http/service-client';
import type { Generation, GenerationJournal } from './generation-journal';
import { ADAPTER, EGRESS_CONTROLLER, SUPERVISOR } from './plan';

const BACKOFF_MS_FIRST = 100;
const BACKOFF_MS_MAX = 1_000;

/** What was seen of an end, for people. */
export interface End {
  readonly at: string;
  readonly how: string;
}
export type Tell = (line: string) => void;

export interface ReceiptParts {
  readonly control: ServiceClient;
  readonly journal: GenerationJournal;
  /** Returns when not one byte of the generation can reach a provider any more. */
  readonly cutOff: (generation: GenerationId) => Promise<void>;
  readonly tell: Tell;
}

/**
 * Cuts off every ended adapter generation and gives control its two receipts, oldest first, again and again until both stand: without them the
 * permits of a dead holder wait for ever. A generation is added only when its process is gone.
 */
export class ReceiptOffice {
  readonly #parts: ReceiptParts;
  readonly #waiting: { readonly of: Generation; readonly end: End }[] = [];
  readonly #stop = new AbortController();
  #working: Promise<void> | undefined;

  constructor(parts: ReceiptParts) {
    this.#parts = parts;
  }

  add(of: Generation, end: End): void {
    this.#waiting.push({ of, end });
    this.#working ??= this.#work().finally(() => (this.#working = undefined));
  }

  /** Resolves when nothing waits any more, or at the latest after `ms`; what is left stands in the journal for the next start. */
  async close(ms: number): Promise<void> {
    const late = setTimeout(() => this.#stop.abort(), ms);
    await this.#working;
    clearTimeout(late);
    this.#stop.abort();
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined && !this.#stop.signal.aborted; next = this.#waiting[0]) {
      await this.#prove(next.of, next.end);
      this.#waiting.shift();
    }
  }

  async #prove(of: Generation, end: End): Promise<void> {
    const { generation, termination, isolation } = of;
    const evidence = (what: string): string => Buffer.from(JSON.stringify({ ...end, what }), 'utf8').toString('base64');
    const ended = { generation_id: generation, termination_id: termination, service: ADAPTER, supervisor: SUPERVISOR };
    const cutOff = { generation_id: generation, isolation_id: isolation, controller: EGRESS_CONTROLLER };
    const shutOff = await this.#persist(() => this.#parts.cutOff(generation).then(() => true));
    const told = shutOff && (await this.#give('/v1/terminations', { ...ended, evidence_base64: evidence('the process is gone') }));
    const shut =
      told &&
      (await this.#give('/v1/isolations', { ...cutOff, evidence_base64: evidence('its token was withdrawn, then its sockets closed') }));
    if (!shut) return;
    this.#parts.journal.proved(generation);
    this.#parts.tell(`${ADAPTER} generation ${generation} ended: termination and isolation receipts stand`);
  }

  /** Whether the receipt stands. Another receipt of this generation stands too; any other refusal is told and asked again. */
  #give(path: string, body: object): Promise<boolean> {
    return this.#persist(async () => {
      const { status } = await this.#parts.control.call('POST', path, body, { signal: this.#stop.signal });
      if (status < 300 || status === 409) return true;
      this.#parts.tell(`control refused ${path} with ${status}; asking again`);
      return false;
    });
  }

  /** Again and again, at least every second, until it was done or the office closes. */
  async #persist(act: () => Promise<boolean>): Promise<boolean> {
    for (let wait = BACKOFF_MS_FIRST; !this.#stop.signal.aborted; wait = Math.min(BACKOFF_MS_MAX, wait * 2)) {
      if (await act().catch((thrown: unknown) => this.#notDone(thrown))) return true;
      await pause(wait, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
    return false;
  }

  /** Control that is away is an ordinary thing; anything else is said, and asked again all the same: permits wait for it. */
  #notDone(thrown: unknown): false {
    if (!(thrown instanceof RetryableFault))
      this.#parts.tell(`a receipt could not be given: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    return false;
  }
}
