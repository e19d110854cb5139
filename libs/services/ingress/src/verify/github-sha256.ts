import { bodySignature } from './body-signature';

/** As GitHub signs. */
export const githubSha256 = bodySignature({
  signatureHeader: 'x-hub-signature-256',
  transportKeyHeader: 'x-github-delivery',
  proof: 'hmac-hex',
  form: /^sha256=([0-9a-f]{64})$/,
  says: 'sha256= and 64 lower-case hex digits',
});
