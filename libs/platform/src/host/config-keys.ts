/** Every key that any part of the product reads, without its prefix. Services share one environment, so a key of another service is no fault. */
export const CONFIG_KEYS = [
  'ACCOUNTS_MAX',
  'ADMIN_PASSWORD_FILE',
  'ADMIN_USER',
  'BODY_BYTES_MAX',
  'CALL_SLOTS',
  'CATALOG_URL',
  'CLAIMANT_URL',
  'CONTROL_URL',
  'COORDINATOR_URL',
  'CRASH',
  'DATABASE_HOST',
  'DATABASE_NAME',
  'DATABASE_PASSWORD_FILE',
  'DATABASE_POOL',
  'DATABASE_PORT',
  'DATABASE_URL',
  'DATABASE_USER',
  'DISPATCHER_URL',
  'DRAIN_MS',
  'EGRESS_HOLDER',
  'EGRESS_PROXY_URL',
  'EGRESS_TOKEN_VERSION',
  'EGRESS_URL',
  'GENERATION',
  'HOME',
  'HOST',
  'INGRESS_URL',
  'JOURNAL_HOST',
  'JOURNAL_NAME',
  'JOURNAL_PORT',
  'JOURNAL_URL',
  'KAFKA_BROKERS',
  'KAFKA_CA_FILE',
  'KAFKA_PASSWORD_FILE',
  'KAFKA_SASL',
  'KAFKA_TLS',
  'KAFKA_TOPIC',
  'KAFKA_USER',
  'KEEP_ENGINE',
  'LOG_LEVEL',
  'OPERATOR_URL',
  'ORGANIZATION',
  'PLATFORM_FILE',
  'POLL_MS',
  'PORT',
  'RUNTIME_URL',
  'SECRETS_DIR',
  'SEED',
  'SIMULATOR_URL',
  'STATEMENT_TIMEOUT',
  'SUPERVISOR',
  'TEST_DATABASE',
  'TEST_DATABASE_ABSENT',
  'TEST_SUMMARY',
  'TIDB_SERVER',
  'TOKENS_VERSION',
  'WAKE',
] as const;
export type ConfigKey = (typeof CONFIG_KEYS)[number];
export const CONFIG_PREFIX = 'CONNECTOR_';

/** Faults of keys with our prefix that nobody reads: a misspelt key would otherwise be a silent default. */
export function unknownKeys(env: NodeJS.ProcessEnv): readonly string[] {
  const known: ReadonlySet<string> = new Set(CONFIG_KEYS);
  const given = Object.keys(env).filter((key) => key.startsWith(CONFIG_PREFIX));
  // Never the value: a password under a misspelt key must not reach the log.
  return given
    .map((key) => key.slice(CONFIG_PREFIX.length))
    .filter((key) => !known.has(key))
    .map((key) => `${CONFIG_PREFIX}${key}: no such key; did you mean ${CONFIG_PREFIX}${nearest(key)}?`);
}

/** The known key with the fewest single-letter changes. */
export function nearest(key: string): ConfigKey {
  return CONFIG_KEYS.reduce((best, each) => (distance(key, each) < distance(key, best) ? each : best));
}

function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1];
    for (const [column, match] of [...other].entries()) {
      const change = (row[column] ?? 0) + (letter === match ? 0 : 1);
      next.push(Math.min(change, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
