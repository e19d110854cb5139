import { bodySignature } from './body-signature';

/** As Shopify signs. */
export const shopify = bodySignature({
  signatureHeader: 'x-shopify-hmac-sha256',
  transportKeyHeader: 'x-shopify-webhook-id',
  proof: 'hmac-base64',
  form: /^([A-Za-z0-9+/]{43}=)$/,
  says: '44 characters of standard base64',
});
