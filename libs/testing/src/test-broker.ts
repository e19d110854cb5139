import { join } from 'node:path';
import type { Broker } from '@connector/platform/broker/broker';
import { resolveBroker } from '@connector/platform/broker/resolve';

/** The first time it is fetched. */
export const BROKER_WITHIN_MS = 300_000;

/** The one broker of a test run, found by the product's own resolver and shared by the suites that need it. Whoever opened it stops it. */
export function openTestBroker(): Promise<Broker> {
  return resolveBroker({ dataDir: join(__dirname, '..', '..', '..', '.connector', 'test-broker'), env: process.env });
}
