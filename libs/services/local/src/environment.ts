import { CONFIG_PREFIX, type ConfigKey } from '@connector/platform/host/config-keys';
import type { Layout } from './layout';
import { ADMIN_PASSWORD, DATABASE_PASSWORD, egressTokenRef } from './mint-secrets';
import { ADAPTER, type ProcessPlan, SERVICE_PLANS, SUPERVISOR } from './plan';
import type { Ports } from './ports';
import type { SecretStore } from './secret-store';

export type Settings = { readonly [K in ConfigKey]?: string };

/** The database as services reach it; passwords stay in files. */
export interface DatabasePlace {
  readonly host: string;
  readonly port: number;
  readonly mainDatabase: string;
  readonly journalDatabase: string;
  /** With `{role}` where each service has a user of its own. */
  readonly user: string;
  readonly adminUser: string;
}

export const urlOf = (ports: Ports, name: string): string => `http://127.0.0.1:${ports[name] ?? 0}`;

/** What a service is told. */
export function settingsOf(plan: ProcessPlan, generation: string, layout: Layout, ports: Ports, database: DatabasePlace): Settings {
  const urls = Object.fromEntries(SERVICE_PLANS.map(({ name, urlKey }) => [urlKey, urlOf(ports, name)]));
  const way =
    plan.name === ADAPTER
      ? { EGRESS_PROXY_URL: urlOf(ports, 'egress-proxy'), EGRESS_TOKEN_VERSION: egressTokenRef(generation).version }
      : {};
  const platform = plan.name === 'catalog' ? { PLATFORM_FILE: layout.platform } : {};
  return {
    ...urls,
    ...way,
    ...platform,
    ...databaseSettings(database, layout.secrets),
    PORT: String(ports[plan.process] ?? plan.port),
    SECRETS_DIR: layout.secrets,
    HOME: layout.home,
    WAKE: 'local',
    GENERATION: generation,
    SUPERVISOR,
  };
}

/** What the migrator is told. */
export function migratorSettings(layout: Layout, database: DatabasePlace, store: SecretStore): Settings {
  return {
    ...databaseSettings(database, layout.secrets),
    SECRETS_DIR: layout.secrets,
    ADMIN_USER: database.adminUser,
    ADMIN_PASSWORD_FILE: store.fileOf(ADMIN_PASSWORD),
  };
}

function databaseSettings(database: DatabasePlace, secrets: string): Settings {
  const password = database.user.includes('{role}') ? DATABASE_PASSWORD : ADMIN_PASSWORD;
  return {
    DATABASE_HOST: database.host,
    DATABASE_PORT: String(database.port),
    DATABASE_NAME: database.mainDatabase,
    DATABASE_USER: database.user,
    DATABASE_PASSWORD_FILE: `${secrets}/${password.path}/${password.version}/value`,
    JOURNAL_NAME: database.journalDatabase,
  };
}

/** The surrounding environment without anything of ours in it: a database address with its password must not go to every service. */
export function environmentWith(settings: Settings, surrounding: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(surrounding).filter(([key]) => !key.startsWith(CONFIG_PREFIX) && key !== 'NODE_OPTIONS');
  const ours = Object.entries(settings).map(([key, value]) => [`${CONFIG_PREFIX}${key}`, value]);
  return { ...Object.fromEntries(kept), ...LEAN, ...Object.fromEntries(ours) };
}

/**
 * One allocator arena and two threads: a dozen processes share two cores and a laptop's memory. A fixed trim threshold, because glibc's own
 * grows with the largest block that was ever freed, and what a start needed once is then never given back.
 */
const LEAN = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072', UV_THREADPOOL_SIZE: '2' };
