import { oneHeader } from './header-list';
import { refused, type SchemeReader } from './scheme';
import { readTransportKey } from './transport-key';

interface BodySignature {
  readonly signatureHeader: string;
  readonly transportKeyHeader: string;
  readonly proof: 'hmac-base64' | 'hmac-hex';
  /** Its first group is the encoded HMAC. */
  readonly form: RegExp;
  /** The form in words. */
  readonly says: string;
}

/**
 * HMAC-SHA256 over the body alone. The signature covers no time and no id: an old one stays good for ever, and only the admission key keeps
 * a delivery from being admitted again.
 */
export function bodySignature({ form, says, ...scheme }: BodySignature): SchemeReader {
  const { signatureHeader: name } = scheme;
  return {
    ...scheme,
    transportKeySigned: false,
    read(headers, transportKeyHeader = scheme.transportKeyHeader) {
      const header = oneHeader(headers, name);
      if (header.kind === 'absent') return refused('signature-missing', `send the header ${name}: ${says}`);
      if (header.kind === 'doubled') return refused('signature-doubled', `send the header ${name} once`);
      const text = form.exec(header.value)?.[1];
      if (text === undefined) return refused('signature-malformed', `${name} is ${says}`);
      const key = readTransportKey(headers, transportKeyHeader);
      if (key.kind !== 'key') return key;
      const signatures = [Buffer.from(text, 'latin1')];
      return { kind: 'claim', transportKey: key.text, signedPrefix: '', signatures, timestamp: undefined };
    },
  };
}
