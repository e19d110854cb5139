import { oneHeader, type HeaderList } from './header-list';
import { refused, SIGNATURES_MAX, type Claim, type Refused, type SchemeReader } from './scheme';
import { readTransportKey, type ReadTransportKey } from './transport-key';

const SIGNATURE = 'webhook-signature';
const TIMESTAMP = 'webhook-timestamp';
const ID = 'webhook-id';

const V1 = /^v1,([A-Za-z0-9+/]{43}=)$/;
const UNIX_SECONDS = /^[1-9][0-9]{0,14}$/;

/** Standard Webhooks 1.0, symmetric signatures (`v1`). Entries of other versions and broken entries are passed over. */
export const standardWebhooks: SchemeReader = {
  signatureHeader: SIGNATURE,
  encoding: 'base64',
  transportKeyHeader: ID,
  transportKeySigned: true,
  read(headers) {
    const signatures = readSignatures(headers);
    if (!Array.isArray(signatures)) return signatures;
    const timestamp = readTimestamp(headers);
    if (typeof timestamp !== 'string') return timestamp;
    const id = readId(headers);
    if (id.kind !== 'key') return id;
    return claim(id.text, timestamp, signatures);
  },
};

/** The header texts are signed as they came, so that nothing is lost between the sender's digits and ours. */
function claim(transportKey: string, timestamp: string, signatures: readonly Buffer[]): Claim {
  return { kind: 'claim', transportKey, signedPrefix: `${transportKey}.${timestamp}.`, signatures, timestamp: Number(timestamp) };
}

function readSignatures(headers: HeaderList): Buffer[] | Refused {
  const header = oneHeader(headers, SIGNATURE);
  if (header.kind === 'absent') return refused('signature-missing', `send the header ${SIGNATURE}: v1,<base64>`);
  if (header.kind === 'doubled')
    return refused('signature-doubled', `send ${SIGNATURE} once; several signatures go into it separated by spaces`);
  const entries = header.value.split(' ');
  if (entries.length > SIGNATURES_MAX) return refused('too-many-signatures', `${SIGNATURE} holds at most ${SIGNATURES_MAX} signatures`);
  const texts = entries.flatMap((entry) => V1.exec(entry)?.[1] ?? []);
  if (texts.length === 0) {
    return refused('signature-malformed', `${SIGNATURE} holds no v1 signature; expected v1, and 44 characters of standard base64`);
  }
  return texts.map((text) => Buffer.from(text, 'latin1'));
}

function readTimestamp(headers: HeaderList): string | Refused {
  const header = oneHeader(headers, TIMESTAMP);
  if (header.kind === 'absent') return refused('timestamp-missing', `send the header ${TIMESTAMP} with Unix seconds`);
  if (header.kind === 'doubled') return refused('timestamp-doubled', `send the header ${TIMESTAMP} once`);
  if (!UNIX_SECONDS.test(header.value)) {
    return refused('timestamp-malformed', `${TIMESTAMP} is Unix seconds as 1 to 15 decimal digits, without sign, point or leading zero`);
  }
  return header.value;
}

/** A dot would let the bytes of one signed delivery be cut anew into another id, timestamp and body. */
function readId(headers: HeaderList): ReadTransportKey {
  const key = readTransportKey(headers, ID);
  if (key.kind === 'key' && key.text.includes('.')) return { kind: 'not-canonical', help: `${ID} holds no dot` };
  return key;
}
