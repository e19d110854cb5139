import { DB_ROLES, type Service } from '@connector/kernel/roles';
import type { SecretRef } from '@connector/platform/secrets/secret-backend';
import { SERVICE_PLANS, type TokenHolder } from './plan';
import type { SecretStore } from './secret-store';

const FIRST = '1';
export const tokenRef = (caller: TokenHolder, callee: Service): SecretRef => ({ path: `tokens/${caller}/${callee}`, version: FIRST });
/** By it the simulator knows that a request came through the egress proxy. */
export const PROXY_TOKEN: SecretRef = { path: 'tokens/egress-proxy/provider-simulator', version: FIRST };
/** By it the proxy knows one generation of the adapter (decisions 13.18). */
export const egressTokenRef = (generation: string): SecretRef => ({ path: `egress/${generation}`, version: FIRST });
/** `{role}` stands for the database role. */
export const DATABASE_PASSWORD: SecretRef = { path: 'database/{role}', version: FIRST };
export const ADMIN_PASSWORD: SecretRef = { path: 'database/admin', version: FIRST };

/** One token for each pair that speaks, one password for each database user (decisions 13.19). */
export async function mintSecrets(store: SecretStore): Promise<void> {
  for (const { name, callers } of SERVICE_PLANS) for (const caller of callers) await store.ensure(tokenRef(caller, name));
  await store.ensure(tokenRef('cli', 'local'));
  await store.ensure(PROXY_TOKEN);
  for (const role of DB_ROLES) await store.ensure({ ...DATABASE_PASSWORD, path: DATABASE_PASSWORD.path.replace('{role}', role) });
}
