import type { Containers } from '../containers/containers';
import type { ConfigKey } from '../host/config-keys';
import type { KafkaPlace } from '../kafka/place';

/** A broker that answers and has the topic for wakes. */
export interface Broker {
  readonly place: KafkaPlace;
  /** Empty for one that was named. */
  readonly version: string;
  /** How it was found, for a person. */
  readonly source: string;
  /** What services are told to reach it; no secret is in it, only files that hold one. */
  readonly settings: { readonly [K in ConfigKey]?: string };
  readonly pid?: number;
  /** Stops what was started or taken over, unless another living process uses it too. */
  stop(): Promise<void>;
}

export interface BrokerOptions {
  /** Absolute; the programs and the data of a broker of our own live under it. */
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly portNear?: number;
  readonly onProgress?: (line: string) => void;
  /** Absent: the container engine of this machine. */
  readonly containers?: Containers;
}

export const defaultBrokerPort = 44092;
export const KAFKA_VERSION = '4.3.1';
