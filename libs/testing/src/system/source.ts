import type { Digest } from '@connector/kernel/digest';
import { jcs, type Json } from '@connector/kernel/jcs';
import { receiptPayloadDigest } from '@connector/connector/model/digests/inbound';
import { sendWebhook, type Target } from '@connector/services/local/src/demo/webhook';
import { channelOf, type DemoChannel } from '@connector/services/local/src/demo/world';
import { until } from './until';

/** One answer to one try; `unanswered` says that nobody knows what became of it. */
export type Answered =
  { readonly kind: 'answered'; readonly status: number; readonly receiptId: string | null } | { readonly kind: 'unanswered' };

/** What one delivery was, and every answer that it got: the first of the three ledgers. */
export interface Sent {
  readonly account: string;
  readonly channel: string;
  readonly transportKey: string;
  readonly payloadDigest: Digest;
  /** How many items its body holds. */
  readonly items: number;
  readonly answers: readonly Answered[];
}

/** A delivery that was accepted, for ever. */
export const isAcknowledged = ({ answers }: Sent): boolean =>
  answers.some((answer) => answer.kind === 'answered' && (answer.status === 202 || answer.status === 200));

type Open = Sent & { readonly answers: Answered[] };

const TRIES_MS = 30_000;
/** What a source says beside its bodies. */
const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = { events: { 'x-github-event': 'star' } };

/** A sender that writes down what it sent and what it was answered, and sends again under the same key until it was told. */
export class Source {
  readonly #target: Target;
  readonly #channels: readonly DemoChannel[];
  readonly #sent: Open[] = [];

  constructor(target: Target, channels: readonly DemoChannel[]) {
    this.#target = target;
    this.#channels = channels;
  }

  get sent(): readonly Sent[] {
    return this.#sent;
  }

  /** Until it is accepted; the receipt's id. */
  async deliver(channel: string, body: Json, transportKey: string, ms = TRIES_MS): Promise<string> {
    const bytes = jcs(body);
    const sent = this.#open(channel, bytes, transportKey, itemsOf(body));
    return until(`delivery ${transportKey}`, ms, async () => {
      const answer = await this.#once(sent, bytes);
      return answer.kind === 'answered' && answer.status < 300 && answer.receiptId !== null ? answer.receiptId : undefined;
    });
  }

  /** Until it is told that its key is another delivery's. */
  async refused(channel: string, body: Json, transportKey: string, ms = TRIES_MS): Promise<void> {
    const bytes = jcs(body);
    const sent = this.#open(channel, bytes, transportKey, itemsOf(body));
    await until(`refusal ${transportKey}`, ms, async () => {
      const answer = await this.#once(sent, bytes);
      return answer.kind === 'answered' && answer.status === 409 ? true : undefined;
    });
  }

  /** One try, whatever its answer. */
  async once(channel: string, body: Json, transportKey: string): Promise<Answered> {
    const bytes = jcs(body);
    return this.#once(this.#open(channel, bytes, transportKey, itemsOf(body)), bytes);
  }

  forget(): void {
    this.#sent.length = 0;
  }

  async #once(sent: Open, bytes: Buffer): Promise<Answered> {
    const channel = channelOf(sent.channel, this.#channels);
    const answer = await sendWebhook(this.#target, channel, bytes, sent.transportKey, HEADERS[sent.channel]).then(
      ({ status, body }): Answered => ({ kind: 'answered', status, receiptId: receiptIn(body) }),
      (): Answered => ({ kind: 'unanswered' }),
    );
    sent.answers.push(answer);
    return answer;
  }

  #open(channel: string, bytes: Buffer, transportKey: string, items: number): Open {
    const { account } = channelOf(channel, this.#channels);
    const payloadDigest = receiptPayloadDigest(bytes).digest;
    // Of a channel whose deliveries are one item each, whatever they hold.
    const sent: Open = { account, channel, transportKey, payloadDigest, items: channel in HEADERS ? 1 : items, answers: [] };
    this.#sent.push(sent);
    return sent;
  }
}

function itemsOf(body: Json): number {
  const lists = typeof body === 'object' && body !== null ? Object.values(body).filter((held) => Array.isArray(held)) : [];
  return lists.reduce((sum, list) => sum + list.length, 0);
}

function receiptIn(body: unknown): string | null {
  const held: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'receipt_id') : undefined;
  return typeof held === 'string' ? held : null;
}

const newContact = (recordId: string, seq: number) => ({ recordId, seq, email: `${recordId}@example.test`, name: `Contact ${recordId}` });
/** A body of one new contact, which opens one ticket. */
export const contact = (recordId: string, seq = 1): Json => ({ changes: [newContact(recordId, seq)] });
/** The same of so many new contacts. */
export const contacts = (name: string, count: number): Json => ({
  changes: Array.from({ length: count }, (_, at) => newContact(`${name}-${at}`, 1)),
});

/** One that the application fails: nobody can write to its address. */
export const unusableContact = (recordId: string): Json => ({
  changes: [{ recordId, seq: 1, email: 'none', name: `Contact ${recordId}` }],
});

const hintOf = (ticketId: number, revision: number): Json => ({
  ...{ entry_id: ticketId * 1_000 + revision, ticket_id: ticketId, revision, status: 'open' },
  updated_at: `2026-01-01T00:00:0${revision}Z`,
});
/** Hints of one ticket, each greater than the ones of lower revisions (1 to 9). */
export const hints = (ticketId: number, revisions: readonly number[]): Json => ({
  hints: revisions.map((revision) => hintOf(ticketId, revision)),
});
/** The same among many that nobody can read. */
export function wideHints(ticketIds: readonly number[], items: number): Json {
  const readable = ticketIds.flatMap((id) => [hintOf(id, 1), hintOf(id, 2)]);
  const refused = Array.from({ length: items - readable.length }, (_, at) => ({
    entry_id: `none-${at}`,
    ticket_id: 'none',
    updated_at: '-',
  }));
  return { hints: [...readable, ...refused] };
}

/** The second change of a new contact before the first. */
export const swapped = (recordId: string): Json => ({
  changes: [2, 1].map((seq) => ({ recordId, seq, email: `${recordId}@example.test`, name: `Contact ${recordId} ${seq}` })),
});

/** A body of many items of which only the first and the last are readable: large to make, small to carry on. */
export function wideBody(recordId: string, items: number): Json {
  const refused = Array.from({ length: items - 2 }, (_, at) => ({ recordId: `${recordId}-none-${at}`, seq: 0, name: 'nobody' }));
  const item = (end: string) => ({ recordId: `${recordId}-${end}`, seq: 1, email: null, name: `Contact ${recordId} ${end}` });
  return { changes: [item('first'), ...refused, item('last')] };
}

/** A body of one hint, which sends nothing on. */
export const hint = (ticketId: number, revision: number): Json => hints(ticketId, [revision]);
