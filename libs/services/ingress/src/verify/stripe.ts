import { SCHEME_HEADERS } from '@connector/packs/model/verification-schemes';
import { oneHeader } from './header-list';
import { refused, SIGNATURES_MAX, type Refused, type SchemeReader } from './scheme';
import { signedTime } from './signed-time';
import { readTransportKeyOr } from './transport-key';

const { signature: SIGNATURE } = SCHEME_HEADERS.stripe;
const TIME = /^t=(.*)$/;
const V1 = /^v1=([0-9a-f]{64})$/;

/** `t=<Unix seconds>,v1=<hex>`, as Stripe signs: over the time, a dot and the body. Entries of other versions and broken ones are passed over. */
export const stripe: SchemeReader = {
  signatureHeader: SIGNATURE,
  proof: 'hmac-hex',
  transportKeyHeader: undefined,
  transportKeySigned: false,
  read(headers, transportKeyHeader) {
    const header = oneHeader(headers, SIGNATURE);
    if (header.kind === 'absent') return refused('signature-missing', `send the header ${SIGNATURE}: t=<Unix seconds>,v1=<64 hex digits>`);
    if (header.kind === 'doubled') return refused('signature-doubled', `send ${SIGNATURE} once; several signatures go into it as v1=`);
    const entries = header.value.split(',');
    if (entries.length > SIGNATURES_MAX) return refused('too-many-signatures', `${SIGNATURE} holds at most ${SIGNATURES_MAX} entries`);
    const signatures = entries.flatMap((entry) => V1.exec(entry)?.[1] ?? []);
    if (signatures.length === 0) return refused('signature-malformed', `${SIGNATURE} holds no v1= and 64 lower-case hex digits`);
    const time = timeOf(entries);
    if (typeof time !== 'string') return time;
    const key = readTransportKeyOr(headers, transportKeyHeader);
    if (key.kind !== 'key') return key;
    const texts = signatures.map((text) => Buffer.from(text, 'latin1'));
    return { kind: 'claim', transportKey: key.text, signedPrefix: `${time}.`, signatures: texts, timestamp: Number(time) };
  },
};

function timeOf(entries: readonly string[]): string | Refused {
  const [time, ...others] = entries.flatMap((entry) => TIME.exec(entry)?.[1] ?? []);
  if (time === undefined) return refused('timestamp-missing', `${SIGNATURE} holds no t=<Unix seconds>`);
  if (others.length > 0) return refused('timestamp-doubled', `${SIGNATURE} holds t= once`);
  return signedTime(time, `t= in ${SIGNATURE}`);
}
