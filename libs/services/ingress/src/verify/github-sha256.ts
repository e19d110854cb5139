import { SCHEME_HEADERS } from '@connector/packs/model/verification-schemes';
import { bodySignature } from './body-signature';

/** As GitHub signs. */
export const githubSha256 = bodySignature({
  signatureHeader: SCHEME_HEADERS['github-sha256'].signature,
  transportKeyHeader: 'x-github-delivery',
  proof: 'hmac-hex',
  form: /^sha256=([0-9a-f]{64})$/,
  says: 'sha256= and 64 lower-case hex digits',
});
