import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ProxyAgent, request } from 'undici';
import { GenerationId } from '@connector/kernel/ids';
import { startEgressProxy } from '@connector/platform/egress-proxy/egress-proxy';
import { bootService } from '@connector/platform/host/boot';
import { quietProcess } from '@connector/platform/host/process';
import { providerSimulator, PROXY_TOKEN_PATH } from './definition';

const HOST = 'desk.tern.example';
let dir: string;

function secret(path: string, text: string): void {
  const file = join(dir, 'secrets', path, '1', 'value');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'provider-simulator-'));
  secret(PROXY_TOKEN_PATH, 'token-of-the-egress-proxy\n');
  secret('tokens/cli/provider-simulator', 'token-of-the-command-line');
});
afterEach(() => rmSync(dir, { recursive: true }));

describe('provider-simulator', () => {
  it('contract › boots as a service, takes a call through the egress proxy and none beside it, and shows its ledger to the command line', async () => {
    const env = { CONNECTOR_SECRETS_DIR: join(dir, 'secrets'), CONNECTOR_HOME: dir, CONNECTOR_PORT: '0' };
    const service = await bootService(providerSimulator, quietProcess(env));
    const routes = new Map([[HOST, { host: '127.0.0.1', port: service.port }]]);
    const proxy = await startEgressProxy({ port: 0, routes, upstreamToken: 'token-of-the-egress-proxy', onEvent: () => undefined });
    proxy.admit('token-of-one-generation', GenerationId.mint());

    const dispatcher = new ProxyAgent({
      uri: `http://127.0.0.1:${proxy.port}`,
      token: 'Bearer token-of-one-generation',
      proxyTunnel: false,
    });
    const made = await request(`http://${HOST}/v1/tickets`, { method: 'POST', dispatcher, body: '{"external_ref":"r"}' });
    expect([made.statusCode, await made.body.json()]).toEqual([201, { external_ref: 'r', id: 'tck_000001' }]);
    const beside = await request(`${service.url}/v1/tickets`, { method: 'POST', headers: { host: HOST }, body: '{}' });
    expect(beside.statusCode).toBe(403);
    await beside.body.dump();

    const shown = await request(`${service.url}/_control/ledger`, { headers: { authorization: 'Bearer token-of-the-command-line' } });
    expect(await shown.body.json()).toMatchObject({ entries: [{ executed: true, key: 'r' }, { request: 'refused' }] });
    expect((await request(`${service.url}/_control/ledger`)).statusCode).toBe(401);
    expect((await request(`${service.url}/livez`)).statusCode).toBe(200);
    await dispatcher.close();
    await proxy.close();
    await service.stop();
    expect(readFileSync(join(dir, 'provider-simulator', 'ledger.jsonl'), 'utf8')).not.toContain('token-of');
  });
});
