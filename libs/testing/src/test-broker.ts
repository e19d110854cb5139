import { join } from 'node:path';
import type { Broker } from '@connector/platform/broker/broker';
import { resolveBroker } from '@connector/platform/broker/resolve';

/** The first time it is fetched. */
export const BROKER_WITHIN_MS = 300_000;
/** Fetched programs are kept here from run to run. */
export const testBrokerFolder = join(__dirname, '..', '..', '..', '.connector', 'test-broker');

/** The one broker of a test run, found by the product's own resolver and shared by the suites that need it. Whoever opened it stops it. */
export function openTestBroker(): Promise<Broker> {
  return resolveBroker({ dataDir: testBrokerFolder, env: process.env });
}
