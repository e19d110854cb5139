import type { AccountName, ChannelKeyFence } from '@connector/kernel/brand';
import { ReceiptId } from '@connector/kernel/ids';
import { receiptPayloadDigest } from '@connector/connector/model/digests/inbound';
import type { RouteRef } from '@connector/connector/model/inbound/delivery';
import { readGate, readGates, type SeenGate } from '@connector/connector/reads/serving/gates';
import {
  admitAndMaterialize,
  prepareDelivery,
  type Admission,
  type PreparedDelivery,
} from '@connector/connector/transitions/inbound/admit-and-materialize.tx';
import { BatchQueue, type BatchWeight } from '@connector/platform/db/batch-queue';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { unixSeconds } from '@connector/platform/host/clock';
import type { DeliveryFacts } from '@connector/packs/engine/route';
import { VERIFICATION_SCHEMES, type VerificationScheme } from '@connector/packs/model/verification-schemes';
import type { SecretBackend } from '@connector/platform/secrets/secret-backend';
import type { ChannelView } from '@connector/services/epoch-view/src/epoch-view';
import { EpochViews } from '@connector/services/epoch-view/src/epoch-views';
import { ChannelKeyRing } from './channel-keys';
import { extractionOf } from './extraction';
import { headersToStore } from './receipt-headers';
import { readNamedHeaders } from './verify/named-headers';
import type { Unverifiable } from './verify/scheme';
import { verifyDelivery, type Verified } from './verify/verify-delivery';

/** Where a delivery goes, as it was looked up: an open channel, or why there is none. */
export type Place =
  | { readonly kind: 'open'; readonly gate: SeenGate; readonly channel: ChannelView; readonly bodyBytesMax: number }
  | { readonly kind: 'unknown-route' }
  | { readonly kind: 'not-serving'; readonly mode: string };

export interface Arrived {
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}
export type Answer = Admission | Unverifiable | { readonly kind: 'unknown-route' };

interface Queued {
  readonly gate: SeenGate;
  readonly route: RouteRef;
  readonly prepared: PreparedDelivery;
}

/** A body adds at most this many rows: key and receipt, or the conflict that it is, and for each item a component, an event, a projection, an execution and a lane. */
const ROWS_AROUND = 2;
const ROWS_AN_ITEM = 5;
/** How often an admission looks again when the gate or the keys moved between its look and its lock. */
const LOOKS_MAX = 4;
const TOLERANCE_SECONDS = 300;

/** From received bytes to a durable Receipt: look up, verify, extract, then one batched transaction an account and channel. */
export class Admitter {
  readonly #db: Db;
  readonly #views: EpochViews;
  readonly #keys: ChannelKeyRing;
  readonly #queue: BatchQueue<Queued, Admission>;

  constructor(db: Db, secrets: SecretBackend) {
    this.#db = db;
    this.#views = new EpochViews(db);
    this.#keys = new ChannelKeyRing(db, secrets);
    this.#queue = new BatchQueue((_key, items) => retrying(ANSWER_SOON, () => this.#admitBatch(items)));
  }

  async place(account: AccountName, channel: string): Promise<Place> {
    const gate = await readGate(this.#db, account);
    if (gate === undefined) return this.#withoutGate(account);
    if (gate.mode !== 'v2_serving') return { kind: 'not-serving', mode: gate.mode };
    const view = (await this.#views.of(gate)).account(account);
    const found = view?.channel(channel);
    if (view === undefined || found === undefined) return { kind: 'unknown-route' };
    return { kind: 'open', gate, channel: found, bodyBytesMax: view.policies.body_bytes_max };
  }

  /** Verified before anything is parsed; durable before this resolves. */
  async admit(account: AccountName, channel: string, arrived: Arrived): Promise<Answer> {
    for (let look = 1; ; look += 1) {
      const place = await this.place(account, channel);
      if (place.kind === 'unknown-route') return place;
      if (place.kind === 'not-serving') return { kind: 'not-serving', mode: 'no-gate' };
      const answer = await this.#tryOnce(place, arrived);
      if (answer.kind === 'channel-keys-moved') this.#keys.forget(account, channel);
      else if (answer.kind !== 'fence-moved') return answer;
      if (look >= LOOKS_MAX) return answer;
    }
  }

  /** Resolves when every admission in hand is answered. */
  drained(): Promise<void> {
    return this.#queue.idle();
  }

  /** No gate: either nothing serves yet, or the account is not of this service. */
  async #withoutGate(account: AccountName): Promise<Place> {
    const [first] = await readGates(this.#db);
    if (first === undefined) return { kind: 'not-serving', mode: 'no-gate' };
    const known = (await this.#views.of(first)).account(account) !== undefined;
    return known ? { kind: 'not-serving', mode: 'no-gate' } : { kind: 'unknown-route' };
  }

  async #tryOnce(place: Extract<Place, { kind: 'open' }>, arrived: Arrived): Promise<Answer> {
    const { gate, channel } = place;
    const scheme = schemeOf(channel.scheme);
    const keys = scheme && (await this.#keys.of(gate.account, channel.channel, scheme));
    if (scheme === undefined || keys === undefined) return { kind: 'channel-gate-missing' };
    const verified = verifyDelivery(scheme, {
      ...arrived,
      keys: keys.keys,
      now: unixSeconds(),
      toleranceSeconds: TOLERANCE_SECONDS,
      transportKeyHeader: channel.route.route.transportKeyHeader,
    });
    if (verified.kind !== 'verified') return verified;
    const named = readNamedHeaders(arrived.rawHeaders, channel.route.route.headers);
    if (named.kind !== 'headers') return named;
    return this.#submit(place, keys.fence, verified, named.headers, arrived.body);
  }

  #submit(
    { gate, channel: { channel, route } }: Extract<Place, { kind: 'open' }>,
    keyFence: ChannelKeyFence,
    { transportKey, keyVersion }: Verified,
    headers: DeliveryFacts['headers'],
    body: Buffer,
  ): Promise<Admission> {
    const delivery = {
      account: gate.account,
      channel,
      transportKey,
      receiptId: ReceiptId.mint(gate.accountPrefix),
      payload: body,
      payloadDigest: receiptPayloadDigest(body).digest,
      headers: headersToStore(route.route.headers, headers),
      keyVersion,
      keyFence,
    };
    const extraction = extractionOf(route, gate.account, body, { key: transportKey, headers });
    const prepared = prepareDelivery(gate, route.ref, delivery, extraction);
    return this.#queue.submit(`${gate.account}/${channel} ${gate.fence}`, { gate, route: route.ref, prepared }, weightOf(prepared));
  }

  #admitBatch(items: readonly Queued[]): Promise<readonly Admission[]> {
    const { gate, route } = items[0] as Queued;
    return admitAndMaterialize(
      this.#db,
      gate,
      route,
      items.map(({ prepared }) => prepared),
    );
  }
}

/** What a delivery adds to the transaction of its batch. */
export function weightOf({ delivery, children }: PreparedDelivery): BatchWeight {
  const items = (children?.items.length ?? 0) + (children?.refusals.length ?? 0);
  return { rows: ROWS_AROUND + ROWS_AN_ITEM * items, bytes: delivery.payload.length * (items > 0 ? 3 : 1) };
}

function schemeOf(word: string): VerificationScheme | undefined {
  return VERIFICATION_SCHEMES.find((scheme) => scheme === word);
}
