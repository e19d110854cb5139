import { CONFLICTS_OF_RECEIPT_MAX, WHOLE_BODY } from '@connector/connector/model/inbound/delivery';
import type { Sent } from '../source';
import { type Findings, groupBy, type History, indexBy } from './finding';

interface Key {
  readonly account: string;
  readonly channel: string;
  readonly transport_key: string;
}
const nameOf = ({ account, channel, transport_key: key }: Key): string => `${account}/${channel} ${key}`;
const nameOfSent = ({ account, channel, transportKey }: Sent): string => `${account}/${channel} ${transportKey}`;

/** I1, I2: what was acknowledged is one receipt with its bytes, and nothing else is one. */
export function judgeDeliveries({ rows, sent }: History, findings: Findings): void {
  const receipts = groupBy(rows.receipts, nameOf);
  const deliveries = groupBy(sent, nameOfSent);
  for (const [name, tries] of deliveries) judgeKey(name, tries, receipts.get(name) ?? [], findings);
  for (const [name, held] of receipts) {
    findings.must(deliveries.has(name), `receipt ${held[0]?.receipt_id ?? ''} of ${name} was sent by nobody`);
  }
  judgeKeys({ rows }, findings);
  judgeConflicts({ rows, sent }, findings);
}

/** What is shown as refused under a receipt came under its key, with other bytes; a refusal that was answered is among it while there is room. */
function judgeConflicts({ rows, sent }: Pick<History, 'rows' | 'sent'>, findings: Findings): void {
  const deliveries = groupBy(sent, nameOfSent);
  const kept = groupBy(rows.conflicts, ({ receipt_id }) => receipt_id);
  for (const receipt of rows.receipts) {
    const tries = deliveries.get(nameOf(receipt)) ?? [];
    const held = kept.get(receipt.receipt_id) ?? [];
    for (const { payload_digest: digest } of held) {
      const came = digest !== receipt.payload_digest && tries.some(({ payloadDigest }) => payloadDigest === digest);
      findings.must(came, `receipt ${receipt.receipt_id} shows a conflict that never came`);
    }
    const told = tries.filter(({ answers }) => answers.some((answer) => answer.kind === 'answered' && answer.status === 409));
    const shown = told.every(({ payloadDigest }) => held.some(({ payload_digest: digest }) => digest === payloadDigest));
    findings.must(shown || held.length >= CONFLICTS_OF_RECEIPT_MAX, `a conflict under ${nameOf(receipt)} was answered and is not shown`);
  }
}

function judgeKey(name: string, tries: readonly Sent[], held: History['rows']['receipts'], findings: Findings): void {
  findings.must(held.length <= 1, `${name} has ${held.length} receipts`);
  const receipt = held[0];
  for (const { answers, payloadDigest } of tries) {
    for (const answer of answers) {
      if (answer.kind !== 'answered' || answer.status >= 300) continue;
      if (receipt === undefined) {
        findings.must(false, `${name} was acknowledged as ${answer.receiptId ?? 'nothing'} and has no receipt: it is lost`);
        continue;
      }
      findings.must(answer.receiptId === receipt.receipt_id, `${name} was acknowledged as ${answer.receiptId ?? 'nothing'} and is another`);
      findings.must(payloadDigest === receipt.payload_digest, `${name} was acknowledged with bytes that its receipt does not have`);
    }
  }
  const known = tries.some(({ payloadDigest }) => payloadDigest === receipt?.payload_digest);
  findings.must(receipt === undefined || known, `${name} has a receipt with bytes that nobody sent`);
}

/** One admission key a receipt, and the other way round. */
function judgeKeys({ rows }: Pick<History, 'rows'>, findings: Findings): void {
  const keys = groupBy(rows.admissionKeys, ({ receipt_id }) => receipt_id);
  for (const receipt of rows.receipts) {
    const [key, ...more] = keys.get(receipt.receipt_id) ?? [];
    const same = key !== undefined && nameOf(key) === nameOf(receipt) && key.payload_digest === receipt.payload_digest;
    findings.must(same && more.length === 0, `receipt ${receipt.receipt_id} has no admission key of its own`);
  }
  findings.must(rows.admissionKeys.length === rows.receipts.length, 'there are admission keys without a receipt');
}

/** Every item of every receipt became an event or was refused by name; a receipt that still waits for that is in the list of those that wait. */
export function judgeItems({ rows, sent }: History, findings: Findings): void {
  const items = new Map(sent.map((one) => [nameOfSent(one), one.items]));
  const components = groupBy(rows.components, ({ receipt_id }) => receipt_id);
  const refusals = groupBy(rows.refusals, ({ receipt_id }) => receipt_id);
  const waiting = new Set(rows.materializations.filter(({ ready_account }) => ready_account !== null).map(({ receipt_id }) => receipt_id));
  for (const receipt of rows.receipts) {
    if (waiting.has(receipt.receipt_id)) continue;
    const refused = refusals.get(receipt.receipt_id) ?? [];
    if (refused.some(({ ordinal }) => ordinal === WHOLE_BODY)) continue;
    const made = (components.get(receipt.receipt_id)?.length ?? 0) + refused.length;
    const wanted = items.get(nameOf(receipt));
    findings.must(
      wanted === undefined || made === wanted,
      `receipt ${receipt.receipt_id} has ${wanted ?? 0} items and ${made} rows of them`,
    );
  }
  const events = indexBy(rows.events, ({ event_id }) => event_id);
  for (const { receipt_id, ordinal, event_id } of rows.components) {
    findings.must(events.has(event_id), `item ${ordinal} of receipt ${receipt_id} has no event`);
  }
}
