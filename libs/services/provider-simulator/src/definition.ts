import { join } from 'node:path';
import { IsOptional, Matches } from 'class-validator';
import { Env, ServiceConfig } from '@connector/platform/host/config';
import type { ServiceDefinition } from '@connector/platform/host/service';
import { withSecret } from '@connector/platform/secrets/secret-backend';
import { ProviderSimulatorModule } from './provider-simulator.module';
import { Simulator } from './simulator';

export class ProviderSimulatorConfig extends ServiceConfig {
  /** Where the product keeps its files; the ledger goes to `provider-simulator/ledger.jsonl` there. Absent: memory alone. */
  @Env('HOME') @IsOptional() @Matches(/^\//, { message: 'must be an absolute path' }) home?: string;
}

/** The token that the egress proxy adds; its version is that of the service tokens. */
export const PROXY_TOKEN_PATH = 'tokens/egress-proxy/provider-simulator';

export const providerSimulator: ServiceDefinition<ProviderSimulatorConfig> = {
  name: 'provider-simulator',
  defaultPort: 4419,
  roles: [],
  Config: ProviderSimulatorConfig,
  callers: ['local', 'cli'],
  async build({ config, secrets, onClose, onDrain }) {
    const ref = { path: PROXY_TOKEN_PATH, version: config.tokensVersion };
    const proxyToken = await withSecret(secrets, ref, (bytes) => bytes.toString('utf8').trimEnd());
    const file = config.home === undefined ? {} : { ledgerFile: join(config.home, 'provider-simulator', 'ledger.jsonl') };
    const simulator = new Simulator({ proxyToken, ...file });
    onDrain('waiting answers', () => Promise.resolve(simulator.stopWaiting()));
    onClose('ledger', () => Promise.resolve(simulator.close()));
    return { module: ProviderSimulatorModule.register(simulator) };
  },
};
