import { SCHEME_HEADERS } from '@connector/packs/model/verification-schemes';
import { bodySignature } from './body-signature';

/** As Shopify signs. */
export const shopify = bodySignature({
  signatureHeader: SCHEME_HEADERS.shopify.signature,
  transportKeyHeader: 'x-shopify-webhook-id',
  proof: 'hmac-base64',
  form: /^([A-Za-z0-9+/]{43}=)$/,
  says: '44 characters of standard base64',
});
