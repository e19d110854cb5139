import { oneHeader, type HeaderList } from './header-list';
import { refused, type Refused, type SchemeReader } from './scheme';
import { readTransportKey } from './transport-key';

const SIGNATURE = 'x-hub-signature-256';
const DELIVERY = 'x-github-delivery';
const FORM = /^sha256=([0-9a-f]{64})$/;

/**
 * HMAC-SHA256 over the body alone, as GitHub signs. The signature covers no time and no id: an old one stays good for
 * ever, and only the admission key keeps a delivery from being admitted again.
 */
export const githubSha256: SchemeReader = {
  signatureHeader: SIGNATURE,
  encoding: 'hex',
  transportKeyHeader: DELIVERY,
  transportKeySigned: false,
  read(headers, transportKeyHeader) {
    const signature = readSignature(headers);
    if (!Buffer.isBuffer(signature)) return signature;
    const key = readTransportKey(headers, transportKeyHeader);
    if (key.kind !== 'key') return key;
    return { kind: 'claim', transportKey: key.text, signedPrefix: '', signatures: [signature], timestamp: undefined };
  },
};

function readSignature(headers: HeaderList): Buffer | Refused {
  const header = oneHeader(headers, SIGNATURE);
  if (header.kind === 'absent') return refused('signature-missing', `send the header ${SIGNATURE}: sha256=<64 hex digits>`);
  if (header.kind === 'doubled') return refused('signature-doubled', `send the header ${SIGNATURE} once`);
  const text = FORM.exec(header.value)?.[1];
  if (text === undefined) return refused('signature-malformed', `${SIGNATURE} is sha256= and 64 lower-case hex digits`);
  return Buffer.from(text, 'latin1');
}
