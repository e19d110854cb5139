import { OperationId } from '@connector/kernel/ids';
import type { Api } from '../api';
import { CliFailure, EXIT } from '../exit';
import { notRunning, readLocalSecret, type Installation } from '../installation';
import type { CliIo } from '../io';
import { listOf, type Members, membersOf, textOf } from '../members';
import type { Fixture } from './fixture';
import { signedHeaders } from './sign';

/** A channel that serves, with the name of the key version to sign with. */
export interface Channel {
  readonly account: string;
  readonly channel: string;
  readonly scheme: string;
  readonly transportKeyHeader: string;
  readonly secretPath: string;
  readonly secretVersion: string;
}

export interface Delivered {
  readonly transport_key: string;
  readonly status: number;
  readonly body: Members;
}

const ANSWER_MS_MAX = 20_000;

/** The first channel that feeds this route, in the order of the accounts. */
export async function findChannel(api: Api, route: string): Promise<Channel> {
  for (const { account } of listOf((await api.get('/v1/accounts'))['rows'])) {
    const found = await api.get(`/v1/accounts/${textOf(account)}`);
    const channel = listOf(found['channels']).find((each) => each['route'] === route);
    const key = membersOf(listOf(channel?.['keys']).at(-1));
    if (channel === undefined || key['secret_path'] === undefined) continue;
    return {
      ...{ account: textOf(account), channel: textOf(channel['channel']), scheme: textOf(channel['scheme']) },
      ...{ transportKeyHeader: textOf(channel['transport_key_header']), secretPath: textOf(key['secret_path']) },
      secretVersion: textOf(key['secret_version']),
    };
  }
  throw new CliFailure(EXIT.notFound, [
    `No account has a channel with a key for the route ${route}.`,
    '  See      connector accounts list',
  ]);
}

export async function deliver(
  io: CliIo,
  installation: Installation,
  ingress: string,
  channel: Channel,
  fixture: Fixture,
  same: boolean,
): Promise<Delivered> {
  const { account, channel: name, scheme, transportKeyHeader } = channel;
  const secret = await readLocalSecret(installation, channel.secretPath, channel.secretVersion);
  const transportKey = `msg_${OperationId.mint().slice(4)}`;
  const body = fixture.body(same);
  const headers = signedHeaders(body, { scheme, secret, transportKey, transportKeyHeader, unixSeconds: Math.floor(io.now() / 1_000) });
  const response = await fetch(`${ingress}/v1/in/${account}/${name}`, {
    ...{ method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, signal: AbortSignal.timeout(ANSWER_MS_MAX) },
    body: new Uint8Array(body),
  }).catch(() => {
    throw notRunning(`The ingress at ${ingress} does not answer.`);
  });
  const parsed: unknown = JSON.parse((await response.text()) || '{}');
  return { transport_key: transportKey, status: response.status, body: membersOf(parsed) };
}
