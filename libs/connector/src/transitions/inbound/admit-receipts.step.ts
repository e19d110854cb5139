/**
 * ADM admit-receipts: a delivery becomes a Receipt under its admission key
 *
 * why     A transport key names one delivery for ever: the same bytes again are a redelivery, other bytes a conflict that is shown.
 * fence   the standard fence, and the channel-key gate under the fence that the signature was checked with (decisions 13.10).
 * again   Same delivery: the key is found and the answer is `redelivered` with the receipt id that the caller minted; a conflict finds its row.
 */
import type { ChannelKeyFence } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { DIGEST_PROFILE } from '@connector/kernel/digest-profile';
import type { ReceiptId } from '@connector/kernel/ids';
import { lockRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conAdmissionKey, conReceipt } from '@connector/schema/connector/inbound';
import { lockChannelKeyFence } from '../../fences/channel-key-gate';
import type { Gate } from '../../fences/serving-gate';
import type { Delivery } from '../../model/inbound/delivery';
import { keepConflicts } from './keep-conflicts';

export type AdmitReceipt =
  | { readonly kind: 'admitted'; readonly receiptId: ReceiptId }
  | { readonly kind: 'redelivered'; readonly receiptId: ReceiptId }
  | { readonly kind: 'conflicting-redelivery'; readonly receiptId: ReceiptId; readonly held: Digest; readonly given: Digest }
  | { readonly kind: 'channel-keys-moved'; readonly fence: ChannelKeyFence }
  | { readonly kind: 'channel-gate-missing' };

const HELD = lockRows(
  conAdmissionKey,
  ['transport_key', 'payload_digest', 'receipt_id'],
  'WHERE account = :account AND channel = :channel AND transport_key IN (:transport_key)',
);

/** All deliveries are of this gate's account and of one channel; answers in their order. */
export async function admitReceipts(tx: FencedTx, gate: Gate, deliveries: readonly Delivery[]): Promise<readonly AdmitReceipt[]> {
  const channel = (deliveries[0] as Delivery).channel;
  const keys = await lockChannelKeyFence(tx, gate.account, channel);
  if (keys === undefined) return deliveries.map(() => ({ kind: 'channel-gate-missing' }));
  const current = deliveries.filter((delivery) => delivery.keyFence === keys);
  if (current.length === 0) return deliveries.map(() => ({ kind: 'channel-keys-moved', fence: keys }));
  const held = await tx.lockMany(HELD, { account: gate.account, channel, transport_key: current.map((delivery) => delivery.transportKey) });
  const answers = sortOut(deliveries, keys, held);
  const fresh = deliveries.filter((_, index) => answers[index]?.kind === 'admitted');
  await tx.insert(conAdmissionKey, fresh.map(keyRow));
  await tx.insert(
    conReceipt,
    fresh.map((delivery) => receiptRow(gate, delivery)),
  );
  await keepConflicts(
    tx,
    deliveries.flatMap((delivery, index) => conflictRow(delivery, answers[index])),
  );
  return answers;
}

type Held = { readonly transport_key: string; readonly payload_digest: Digest; readonly receipt_id: ReceiptId };

/** Per delivery what it is, by the keys held in the database and by the ones before it in this batch. */
function sortOut(deliveries: readonly Delivery[], keys: ChannelKeyFence, held: readonly Held[]): readonly AdmitReceipt[] {
  const known = new Map(held.map((row) => [row.transport_key, { receiptId: row.receipt_id, digest: row.payload_digest }]));
  return deliveries.map((delivery): AdmitReceipt => {
    if (delivery.keyFence !== keys) return { kind: 'channel-keys-moved', fence: keys };
    const first = known.get(delivery.transportKey);
    if (first === undefined) {
      known.set(delivery.transportKey, { receiptId: delivery.receiptId, digest: delivery.payloadDigest });
      return { kind: 'admitted', receiptId: delivery.receiptId };
    }
    if (first.digest === delivery.payloadDigest) return { kind: 'redelivered', receiptId: first.receiptId };
    return { kind: 'conflicting-redelivery', receiptId: first.receiptId, held: first.digest, given: delivery.payloadDigest };
  });
}

function keyRow(delivery: Delivery) {
  return {
    account: delivery.account,
    channel: delivery.channel,
    transport_key: delivery.transportKey,
    payload_digest: delivery.payloadDigest,
    receipt_id: delivery.receiptId,
  };
}

function receiptRow(gate: Gate, delivery: Delivery) {
  return {
    ...keyRow(delivery),
    epoch_id: gate.epochId,
    epoch_digest: gate.epochDigest,
    digest_profile: DIGEST_PROFILE,
    payload: delivery.payload,
    key_version: delivery.keyVersion,
    headers: delivery.headers,
  };
}

/** What came instead, without its bytes: who asks can ask the sender for them. */
function conflictRow({ payload, payloadDigest, keyVersion }: Delivery, answer: AdmitReceipt | undefined) {
  if (answer?.kind !== 'conflicting-redelivery') return [];
  return [{ receipt_id: answer.receiptId, payload_digest: payloadDigest, payload_bytes: payload.length, key_version: keyVersion }];
}
