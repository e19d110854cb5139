import { SCHEME_HEADERS } from '@connector/packs/model/verification-schemes';
import { oneHeader, type HeaderList } from './header-list';
import { refused, type Refused, type SchemeReader } from './scheme';
import { signedTimeIn } from './signed-time';
import { readTransportKeyOr } from './transport-key';

const { signature: SIGNATURE, time: TIME } = SCHEME_HEADERS.slack;
const FORM = /^v0=([0-9a-f]{64})$/;

/** As Slack signs: HMAC-SHA256 over `v0:<Unix seconds>:` and the body. */
export const slack: SchemeReader = {
  signatureHeader: SIGNATURE,
  proof: 'hmac-hex',
  transportKeyHeader: undefined,
  transportKeySigned: false,
  read(headers, transportKeyHeader) {
    const signature = readSignature(headers);
    if (!Buffer.isBuffer(signature)) return signature;
    const time = signedTimeIn(headers, TIME);
    if (typeof time !== 'string') return time;
    const key = readTransportKeyOr(headers, transportKeyHeader);
    if (key.kind !== 'key') return key;
    return { kind: 'claim', transportKey: key.text, signedPrefix: `v0:${time}:`, signatures: [signature], timestamp: Number(time) };
  },
};

function readSignature(headers: HeaderList): Buffer | Refused {
  const header = oneHeader(headers, SIGNATURE);
  if (header.kind === 'absent') return refused('signature-missing', `send the header ${SIGNATURE}: v0=<64 hex digits>`);
  if (header.kind === 'doubled') return refused('signature-doubled', `send the header ${SIGNATURE} once`);
  const text = FORM.exec(header.value)?.[1];
  if (text === undefined) return refused('signature-malformed', `${SIGNATURE} is v0= and 64 lower-case hex digits`);
  return Buffer.from(text, 'latin1');
}
