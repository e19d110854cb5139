import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { InputFault } from '@connector/kernel/faults';
import type { KafkaPlace } from '../kafka/place';
import { readSecretFile } from '../secrets/secret-file';
import type { WakeSettings } from './config';

/** Throws InputFault where a password or a hint would travel readable or no authority is named; what the secret port throws where the password lies open. */
export async function kafkaPlace(config: WakeSettings): Promise<KafkaPlace> {
  const { kafkaBrokers: brokers = [], kafkaTopic: topic, kafkaTls, kafkaSasl } = config;
  if (kafkaSasl === 'plain' && kafkaTls === 'off')
    throw new InputFault(
      'HOUSE:wake:PasswordReadable',
      'CONNECTOR_KAFKA_SASL=plain sends the password itself: it needs CONNECTOR_KAFKA_TLS=on',
    );
  const sasl =
    kafkaSasl === undefined ? {} : { sasl: { mechanism: kafkaSasl, username: config.kafkaUser ?? '', password: await passwordOf(config) } };
  if (kafkaTls === 'off' && config.kafkaCaFile !== undefined)
    throw new InputFault('HOUSE:wake:CaWithoutTls', 'CONNECTOR_KAFKA_CA_FILE is for TLS, and TLS is off: it needs CONNECTOR_KAFKA_TLS=on');
  return { brokers, topic, ...(kafkaTls === 'on' ? { tls: await authority(config.kafkaCaFile) } : {}), ...sasl };
}

/** Looked at here: the client takes any bytes and would say that the broker's certificate is wrong. */
async function authority(file: string | undefined): Promise<{ readonly ca?: string }> {
  if (file === undefined) return {};
  const ca = await readFile(file, 'utf8').catch((thrown: unknown) => refuse(`${file} cannot be read (${errnoOf(thrown)})`));
  try {
    new X509Certificate(ca);
    return { ca };
  } catch {
    return refuse(`${file} holds no certificate`);
  }
}

function refuse(found: string): never {
  throw new InputFault('HOUSE:wake:CaUnreadable', `CONNECTOR_KAFKA_CA_FILE must name certificates of an authority, as PEM: ${found}`);
}

const errnoOf = (thrown: unknown): string =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : 'unknown';

async function passwordOf({ kafkaPasswordFile = '' }: WakeSettings): Promise<string> {
  const bytes = await readSecretFile(kafkaPasswordFile);
  try {
    return bytes.toString('utf8').trimEnd();
  } finally {
    bytes.fill(0);
  }
}
