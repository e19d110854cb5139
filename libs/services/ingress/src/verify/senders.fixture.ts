import { createHmac, generateKeyPairSync, sign as signWith } from 'node:crypto';
import type { VerificationScheme } from '@connector/packs/model/verification-schemes';
import { S1, S1_TEXT } from './signature-vectors.fixture';

const PAIR = generateKeyPairSync('ed25519');
const RAW_PUBLIC_KEY = PAIR.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
const hex = (secret: string, text: string, body: Buffer): string => createHmac('sha256', secret).update(text).update(body).digest('hex');
/** The three headers of Standard Webhooks. */
export const standard = (signature: string, id: string, at: number | string): string[] => [
  ...['webhook-id', id, 'webhook-timestamp', String(at)],
  ...['webhook-signature', signature],
];

/** How the other side signs: by the provider's own description, with nothing of the code under test. */
export interface Sender {
  readonly key: string;
  /** Name and value by turns; the last value is the header of the signature. */
  readonly headers: (body: Buffer, at: number) => readonly string[];
  readonly signsTime: boolean;
}
export const SENDERS: Readonly<Record<VerificationScheme, Sender>> = {
  'standard-webhooks': {
    key: S1_TEXT,
    headers: (body, at) => standard(`v1,${createHmac('sha256', S1).update(`msg_1.${at}.`).update(body).digest('base64')}`, 'msg_1', at),
    signsTime: true,
  },
  'standard-webhooks-v1a': {
    key: `whpk_${RAW_PUBLIC_KEY.toString('base64')}`,
    headers: (body, at) => standard(v1a(body, at), 'msg_1', at),
    signsTime: true,
  },
  'github-sha256': {
    key: 'github-secret',
    headers: (body) => ['x-github-delivery', 'msg_1', 'x-hub-signature-256', `sha256=${hex('github-secret', '', body)}`],
    signsTime: false,
  },
  shopify: {
    key: 'shopify-secret',
    headers: (body) => {
      const signature = createHmac('sha256', 'shopify-secret').update(body).digest('base64');
      return ['x-shopify-webhook-id', 'msg_1', 'x-shopify-hmac-sha256', signature];
    },
    signsTime: false,
  },
  stripe: {
    key: 'stripe-secret',
    headers: (body, at) => ['stripe-signature', `t=${at},v1=${hex('stripe-secret', `${at}.`, body)}`],
    signsTime: true,
  },
  slack: {
    key: 'slack-secret',
    headers: (body, at) => ['x-slack-request-timestamp', String(at), 'x-slack-signature', `v0=${hex('slack-secret', `v0:${at}:`, body)}`],
    signsTime: true,
  },
};
/** Signed with the pair whose public key is the channel's. */
export function v1a(body: Buffer, at: number, id = 'msg_1'): string {
  return `v1a,${signWith(null, Buffer.concat([Buffer.from(`${id}.${at}.`), body]), PAIR.privateKey).toString('base64')}`;
}
