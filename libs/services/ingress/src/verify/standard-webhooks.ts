import { SCHEME_HEADERS } from '@connector/packs/model/verification-schemes';
import { oneHeader, type HeaderList } from './header-list';
import { ASYMMETRIC_SIGNATURES_MAX, refused, SIGNATURES_MAX, type Claim, type Proof, type Refused, type SchemeReader } from './scheme';
import { signedTimeIn } from './signed-time';
import { readTransportKey, type ReadTransportKey } from './transport-key';

const { signature: SIGNATURE, time: TIMESTAMP, signedId: ID } = SCHEME_HEADERS['standard-webhooks'];

interface Version {
  readonly word: 'v1' | 'v1a';
  readonly proof: Proof;
  /** An entry of the header; its first group is the encoded signature. */
  readonly form: RegExp;
  readonly length: number;
  readonly max: number;
}

/** Standard Webhooks 1.0 with shared secrets (`v1`). */
export const standardWebhooks = standard({
  ...{ word: 'v1', proof: 'hmac-base64', form: /^v1,([A-Za-z0-9+/]{43}=)$/, length: 44 },
  max: SIGNATURES_MAX,
});
/** Standard Webhooks 1.0 with key pairs (`v1a`). The scheme fixes what a key is, so a public key can never be taken for a shared secret. */
export const standardWebhooksV1a = standard({
  ...{ word: 'v1a', proof: 'ed25519', form: /^v1a,([A-Za-z0-9+/]{86}==)$/, length: 88 },
  max: ASYMMETRIC_SIGNATURES_MAX,
});

/** Entries of other versions and broken entries are passed over. */
function standard(version: Version): SchemeReader {
  return {
    signatureHeader: SIGNATURE,
    proof: version.proof,
    transportKeyHeader: ID,
    transportKeySigned: true,
    read(headers) {
      const signatures = readSignatures(headers, version);
      if (!Array.isArray(signatures)) return signatures;
      const timestamp = signedTimeIn(headers, TIMESTAMP);
      if (typeof timestamp !== 'string') return timestamp;
      const id = readId(headers);
      if (id.kind !== 'key') return id;
      return claim(id.text, timestamp, signatures);
    },
  };
}

/** The header texts are signed as they came, so that nothing is lost between the sender's digits and ours. */
function claim(transportKey: string, timestamp: string, signatures: readonly Buffer[]): Claim {
  return { kind: 'claim', transportKey, signedPrefix: `${transportKey}.${timestamp}.`, signatures, timestamp: Number(timestamp) };
}

function readSignatures(headers: HeaderList, { word, form, length, max }: Version): Buffer[] | Refused {
  const header = oneHeader(headers, SIGNATURE);
  if (header.kind === 'absent') return refused('signature-missing', `send the header ${SIGNATURE}: ${word},<base64>`);
  if (header.kind === 'doubled')
    return refused('signature-doubled', `send ${SIGNATURE} once; several signatures go into it separated by spaces`);
  const entries = header.value.split(' ');
  if (entries.length > SIGNATURES_MAX) return refused('too-many-signatures', `${SIGNATURE} holds at most ${SIGNATURES_MAX} signatures`);
  const texts = entries.flatMap((entry) => form.exec(entry)?.[1] ?? []);
  if (texts.length > max) return refused('too-many-signatures', `${SIGNATURE} holds at most ${max} ${word} signatures`);
  if (texts.length === 0) {
    return refused(
      'signature-malformed',
      `${SIGNATURE} holds no ${word} signature; expected ${word}, and ${length} characters of standard base64`,
    );
  }
  return texts.map((text) => Buffer.from(text, 'latin1'));
}

/** A dot would let the bytes of one signed delivery be cut anew into another id, timestamp and body. */
function readId(headers: HeaderList): ReadTransportKey {
  const key = readTransportKey(headers, ID);
  if (key.kind === 'key' && key.text.includes('.')) return { kind: 'not-canonical', help: `${ID} holds no dot` };
  return key;
}
