import { createHmac } from 'node:crypto';
import { CliFailure, EXIT } from '../exit';

export interface Signing {
  readonly scheme: string;
  readonly secret: string;
  readonly transportKey: string;
  /** Where the route looks for the transport key. */
  readonly transportKeyHeader: string;
  readonly unixSeconds: number;
}

/** The headers with which the provider of a channel would send these bytes. */
export function signedHeaders(
  body: Buffer,
  { scheme, secret, transportKey, transportKeyHeader, unixSeconds }: Signing,
): Readonly<Record<string, string>> {
  if (scheme === 'github-sha256') {
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    return { [transportKeyHeader]: transportKey, 'x-hub-signature-256': `sha256=${signature}` };
  }
  if (scheme !== 'standard-webhooks') throw new CliFailure(EXIT.failed, [`No way to sign for the scheme ${scheme}.`]);
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${transportKey}.${unixSeconds}.`).update(body).digest('base64');
  return { 'webhook-id': transportKey, 'webhook-timestamp': `${unixSeconds}`, 'webhook-signature': `v1,${signature}` };
}
