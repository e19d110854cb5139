import type { Log } from '../telemetry/log';
import type { Telemetry } from '../telemetry/metrics';
import { LocalWake } from '../wake/local-wake';
import { SilentWake } from '../wake/silent-wake';
import type { Wake } from '../wake/wake';
import type { WakeChannel } from '../wake/wake-channel';
import type { WakeSettings } from './config';
import type { Health } from './health';
import { kafkaPlace } from './kafka-place';

export interface OpenWake {
  readonly service: string;
  readonly config: WakeSettings;
  readonly channel: WakeChannel;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly health: Health;
}

/** The adapter that the configuration names. None of them waits for anybody here: a service starts with no broker too (decisions 2). */
export async function openWake(open: OpenWake): Promise<Wake> {
  switch (open.config.wake) {
    case 'local':
      return new LocalWake(open.channel, open.telemetry);
    case 'silent':
      return new SilentWake();
    case 'kafka':
      return openKafka(open);
  }
}

async function openKafka({ service, config, log, telemetry: counter, health }: OpenWake): Promise<Wake> {
  const place = await kafkaPlace(config);
  // Loaded by whoever uses it: a dozen processes on one machine need not all hold a client.
  const { openKafkaWake } = await import('../kafka/kafka-wake.js');
  const wake = openKafkaWake(place, { service, counter, warn: (line) => log.warn('kafka', { ...line }) });
  watchWake(health, wake);
  return wake;
}

/** A broker that is away is an ordinary state and nobody is turned away for it; a consumer that crashed is none. */
export function watchWake(health: Health, wake: Pick<Wake, 'state'>): void {
  health.addCheck('wake', () => (wake.state === 'crashed' ? Promise.reject(new Error('crashed')) : Promise.resolve()));
}
