import { Kafka, type LogEntry, logLevel, type SASLOptions } from 'kafkajs';
import type { KafkaPlace } from './place';

/** One line of the client, as told: never what it sent or received. */
export interface KafkaLine {
  readonly detail: string;
  readonly context: string;
  readonly host?: string;
}

/** A client whose every wait is bounded. It tells warnings and errors only: what it would say beside them shows messages. */
export function kafkaClient(place: KafkaPlace, clientId: string, tell: (line: KafkaLine) => void): Kafka {
  const { brokers, tls, sasl } = place;
  return new Kafka({
    clientId,
    brokers: [...brokers],
    ...(tls === undefined ? {} : { ssl: tls.ca === undefined ? true : { ca: tls.ca } }),
    ...(sasl === undefined ? {} : { sasl: saslOf(sasl) }),
    connectionTimeout: 2_000,
    authenticationTimeout: 5_000,
    requestTimeout: 5_000,
    enforceRequestTimeout: true,
    retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000 },
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => tell(lineOf(entry)),
  });
}

function lineOf({ namespace, log }: LogEntry): KafkaLine {
  const broker: unknown = log['broker'];
  return { detail: log.message, context: namespace, ...(typeof broker === 'string' ? { host: broker } : {}) };
}

/** The client's type wants each mechanism by itself. */
function saslOf({ mechanism, username, password }: NonNullable<KafkaPlace['sasl']>): SASLOptions {
  switch (mechanism) {
    case 'plain':
      return { mechanism, username, password };
    case 'scram-sha-256':
      return { mechanism, username, password };
    case 'scram-sha-512':
      return { mechanism, username, password };
  }
}
