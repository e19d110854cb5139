import { readFile } from 'node:fs/promises';
import { InputFault } from '@connector/kernel/faults';
import type { KafkaPlace } from '../kafka/place';
import { readSecretFile } from '../secrets/secret-file';
import type { WakeSettings } from './config';

/** Throws InputFault where a password would travel readable; what the secret port throws where it lies open. */
export async function kafkaPlace(config: WakeSettings): Promise<KafkaPlace> {
  const { kafkaBrokers: brokers = [], kafkaTopic: topic, kafkaTls, kafkaSasl } = config;
  if (kafkaSasl === 'plain' && kafkaTls === 'off')
    throw new InputFault(
      'HOUSE:wake:PasswordReadable',
      'CONNECTOR_KAFKA_SASL=plain sends the password itself: it needs CONNECTOR_KAFKA_TLS=on',
    );
  const sasl =
    kafkaSasl === undefined ? {} : { sasl: { mechanism: kafkaSasl, username: config.kafkaUser ?? '', password: await passwordOf(config) } };
  const ca = config.kafkaCaFile === undefined ? {} : { ca: await readFile(config.kafkaCaFile, 'utf8') };
  return { brokers, topic, ...(kafkaTls === 'on' ? { tls: ca } : {}), ...sasl };
}

async function passwordOf({ kafkaPasswordFile = '' }: WakeSettings): Promise<string> {
  const bytes = await readSecretFile(kafkaPasswordFile);
  try {
    return bytes.toString('utf8').trimEnd();
  } finally {
    bytes.fill(0);
  }
}
