import { createHmac, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { LocalSystem } from '../start-local';
import type { DemoChannel } from './world';

const ANSWER_MS_MAX = 10_000;
const ANSWER_BYTES_MAX = 65_536;

/** Where the ingress is and what it is signed with. */
export type Target = Pick<LocalSystem, 'url' | 'store'>;

export interface SentWebhook {
  readonly transportKey: string;
  readonly status: number;
  readonly body: unknown;
}

/**
 * A delivery signed as the provider of the channel signs, sent over HTTP as a provider sends it, with what the provider sends beside the
 * body. The same key again is a redelivery.
 */
export async function sendWebhook(
  system: Target,
  channel: DemoChannel,
  body: Buffer,
  transportKey = `msg_${randomBytes(6).toString('hex')}`,
  beside: Readonly<Record<string, string>> = {},
): Promise<SentWebhook> {
  const { url, headers } = await signedWebhook(system, channel, body, transportKey);
  return { transportKey, ...(await post(url, { ...headers, ...beside }, body)) };
}

/** Where a delivery goes and the headers that it carries, for whoever sends it in a way of its own. */
export async function signedWebhook(
  system: Target,
  channel: DemoChannel,
  body: Buffer,
  transportKey: string,
): Promise<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }> {
  const headers = signed(channel, await system.store.read(channel.secret), transportKey, body);
  return {
    url: `${system.url('ingress')}/v1/in/${channel.account}/${channel.channel}`,
    headers: { 'content-type': 'application/json', ...headers },
  };
}

function signed({ scheme, keyHeader }: DemoChannel, secret: string, key: string, body: Buffer): Readonly<Record<string, string>> {
  if (scheme === 'github-sha256') {
    return { [keyHeader]: key, 'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` };
  }
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const bytes = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', bytes).update(`${key}.${timestamp}.`).update(body).digest('base64');
  return { [keyHeader]: key, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

function post(url: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const call = request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': body.length },
      timeout: ANSWER_MS_MAX,
      agent: false,
    });
    call.once('timeout', () => call.destroy(new Error(`no answer in ${ANSWER_MS_MAX} ms`)));
    call.once('error', reject);
    call.once('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= ANSWER_BYTES_MAX) chunks.push(chunk);
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body: jsonOf(Buffer.concat(chunks)) }));
      response.once('error', reject);
    });
    call.end(body);
  });
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return bytes.toString('utf8');
  }
}
