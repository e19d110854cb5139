import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { join } from 'node:path';
import type { AccountName } from '@connector/kernel/brand';
import { SENDERS } from '@connector/services/ingress/src/verify/senders.fixture';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { DEMO_POLICIES, demoEpoch, GITHUB_CHANNEL, type ServedChannel, SOURCE } from '@connector/testing/fixtures/demo-epoch';
import { testHome, type TestHome } from '@connector/testing/service';

export const S1 = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
export const S2 = 'whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=';
export const HUB_SECRET = 'github-secret';
export const LIMIT = 1_048_576;
export const HOOK = `${SOURCE}/hook`;
/** Two channels of one account, and one of the same name of another. */
export const HUBS = ['github/acme/hook', 'github/acme/second', 'github/other/hook'] as const;

/** Schemes of providers that no shipped pack speaks of, each with a channel of its own. */
export const OTHER_SCHEMES = ['standard-webhooks-v1a', 'shopify', 'stripe', 'slack'] as const;
export const channelOf = (scheme: (typeof OTHER_SCHEMES)[number]): ServedChannel => ({
  ...{ pack: join(__dirname, 'signed-pack'), account: 'signed/acme' as AccountName, channel: scheme, scheme },
  ...{ route: 'note/any', mapping: 'note/default', secretPath: `channel/signed/acme/${scheme}` },
});

export interface World {
  readonly schema: TestSchema;
  readonly home: TestHome;
  count(table: string): Promise<number>;
  close(): Promise<void>;
}

/** Five accounts that serve, with the limit that cases.md speaks of. */
export async function openWorld(): Promise<World> {
  const [schema, home] = [await mainSchema(), await testHome()];
  await home.secret('channel/larkspur/acme/hook', S1);
  await home.secret('channel/larkspur/acme/hook', S2, '2');
  await home.secret(GITHUB_CHANNEL.secretPath, HUB_SECRET);
  for (const scheme of OTHER_SCHEMES) await home.secret(channelOf(scheme).secretPath, SENDERS[scheme].key);
  await demoEpoch(schema, { ...DEMO_POLICIES, body_bytes_max: LIMIT }, [
    GITHUB_CHANNEL,
    { ...GITHUB_CHANNEL, channel: 'second' },
    { ...GITHUB_CHANNEL, account: 'github/other' as AccountName },
    ...OTHER_SCHEMES.map(channelOf),
  ]);
  return {
    schema,
    home,
    count: async (table) => Number((await schema.sql(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.['n']),
    close: async () => {
      await schema.close();
      await home.remove();
    },
  };
}

export const change = (recordId: string, seq = 1) => ({ recordId, seq, email: null, name: recordId });
export const bodyOf = (...changes: readonly object[]): string => JSON.stringify({ changes });

/** As the public library signs, `old` seconds ago. */
export function signed(id: string, body: string | Buffer, { secret = S1, old = 0 } = {}): Record<string, string> {
  const at = new Date(Date.now() - old * 1_000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}
export function hubSigned(id: string, body: string | Buffer): Record<string, string> {
  const signature = `sha256=${createHmac('sha256', HUB_SECRET).update(body).digest('hex')}`;
  return { 'x-github-delivery': id, 'x-github-event': 'ping', 'x-hub-signature-256': signature };
}

export interface Answered {
  readonly status: number;
  readonly receipt: unknown;
  readonly code: unknown;
  readonly detail: string;
}
export async function post(url: string, path: string, headers: Record<string, string>, body: string | Buffer): Promise<Answered> {
  const response = await fetch(`${url}/v1/in/${path}`, { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)) });
  const answer = (await response.json()) as Record<string, unknown>;
  return { status: response.status, receipt: answer['receipt_id'], code: answer['code'], detail: String(answer['detail']) };
}
