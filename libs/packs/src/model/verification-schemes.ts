/** The signature schemes that may admit a delivery. A channel's is frozen with its configuration (decisions 13.10). */
export const VERIFICATION_SCHEMES = ['standard-webhooks', 'standard-webhooks-v1a', 'github-sha256', 'shopify', 'stripe', 'slack'] as const;
export type VerificationScheme = (typeof VERIFICATION_SCHEMES)[number];

export interface SchemeHeaders {
  readonly signature: string;
  /** Null where the signed time stands in the signature header, or the scheme signs none. */
  readonly time: string | null;
  /** The id of the delivery, where the signature covers it: then no other header can hold the transport key. */
  readonly signedId: string | null;
}

/** By lower-case name. */
export const SCHEME_HEADERS = {
  'standard-webhooks': { signature: 'webhook-signature', time: 'webhook-timestamp', signedId: 'webhook-id' },
  'standard-webhooks-v1a': { signature: 'webhook-signature', time: 'webhook-timestamp', signedId: 'webhook-id' },
  'github-sha256': { signature: 'x-hub-signature-256', time: null, signedId: null },
  shopify: { signature: 'x-shopify-hmac-sha256', time: null, signedId: null },
  stripe: { signature: 'stripe-signature', time: null, signedId: null },
  slack: { signature: 'x-slack-signature', time: 'x-slack-request-timestamp', signedId: null },
} as const satisfies Record<VerificationScheme, SchemeHeaders>;
