import type { Containers } from '../containers/containers';
import { joinOrRun, leaveContainer } from '../containers/own-container';
import { containersOfThisMachine } from '../containers/testcontainers';
import { refusal } from '../engine/engine';
import { withFolderLock } from '../engine/folder-lock';
import { joinOrStart, leave } from '../engine/own-program';
import { loadConfig, WakeSettings } from '../host/config';
import { CONFIG_KEYS, CONFIG_PREFIX } from '../host/config-keys';
import { kafkaPlace } from '../host/kafka-place';
import { kafkaClient } from '../kafka/client';
import type { KafkaPlace } from '../kafka/place';
import { ensureWakeTopic } from '../kafka/topic';
import { setupTrouble } from '../kafka/trouble';
import { brokerLacks, findJava, noBroker } from './artifacts';
import { type Broker, type BrokerOptions, defaultBrokerPort, KAFKA_VERSION } from './broker';
import { KAFKA_IMAGE, kafkaContainer } from './kafka-container';
import { kafkaServer } from './kafka-server';

/**
 * The one place that finds a broker: `CONNECTOR_KAFKA_BROKERS`, then Apache Kafka from its Maven artifacts by the Java and the Maven of this
 * machine, then its image where a container engine answers: whoever has no Java need not install one. Throws an `InputFault` that names the
 * ways when there is none.
 */
export async function resolveBroker(options: BrokerOptions): Promise<Broker> {
  const named = options.env[`${CONFIG_PREFIX}KAFKA_BROKERS`] ?? '';
  if (named !== '') return givenBroker(options);
  const lack = await brokerLacks(options);
  if (lack === undefined) return withFolderLock(options.dataDir, () => ownBroker(options));
  const containers = options.containers ?? containersOfThisMachine(options.env);
  const look = await containers.look();
  if (look.kind === 'silent') throw await noBroker(lack, look.why, options.env);
  options.onProgress?.(`${lack}: taking a container`);
  return withFolderLock(options.dataDir, () => containerBroker(containers, options));
}

/** Looked at and used as it is; nothing of it is stopped, and only a missing topic is made. */
async function givenBroker({ env, onProgress }: BrokerOptions): Promise<Broker> {
  const place = await kafkaPlace(loadConfig(WakeSettings, { ...env, [`${CONFIG_PREFIX}WAKE`]: 'kafka' }));
  onProgress?.(`asking the brokers at ${place.brokers.join(', ')}`);
  await topicOf(place).catch((thrown: unknown) => {
    const why = setupTrouble(thrown, place) ?? messageOf(thrown);
    throw refusal('BrokerRefused', `the brokers of CONNECTOR_KAFKA_BROKERS (${place.brokers.join(', ')}) cannot be used: ${why}`);
  });
  const keys = CONFIG_KEYS.filter((key) => key.startsWith('KAFKA_'));
  const told = keys.flatMap((key) => {
    const value = env[CONFIG_PREFIX + key];
    return value === undefined || value === '' ? [] : [[key, value] as const];
  });
  return { place, version: '', source: 'CONNECTOR_KAFKA_BROKERS', settings: Object.fromEntries(told), stop: () => Promise.resolve() };
}

async function ownBroker(options: BrokerOptions): Promise<Broker> {
  const java = await findJava(options.env);
  if (java === undefined) throw refusal('NoBroker', 'Java went away');
  const own = kafkaServer(java, options);
  const start = async (): Promise<Started> => {
    const { port, server } = await joinOrStart(own, options.portNear ?? defaultBrokerPort);
    return { port, pid: server.pid };
  };
  return brokerOf(options, `Maven artifacts on ${java}`, start, () => leave(own));
}

async function containerBroker(containers: Containers, options: BrokerOptions): Promise<Broker> {
  const own = await kafkaContainer(containers, options);
  const start = async (): Promise<Started> => ({ port: await joinOrRun(own, options.portNear ?? defaultBrokerPort) });
  return brokerOf(options, `container of ${KAFKA_IMAGE.name}`, start, () => leaveContainer(own));
}

interface Started {
  readonly port: number;
  readonly pid?: number;
}

async function brokerOf(
  options: BrokerOptions,
  source: string,
  start: () => Promise<Started>,
  leaveIt: () => Promise<void>,
): Promise<Broker> {
  try {
    const { port, ...pid } = await start();
    const brokers = `127.0.0.1:${port}`;
    const { kafkaTopic: topic } = loadConfig(WakeSettings, options.env);
    const place = { brokers: [brokers], topic };
    await topicOf(place);
    return {
      ...{ place, version: KAFKA_VERSION, source, ...pid },
      settings: { KAFKA_BROKERS: brokers, KAFKA_TOPIC: topic },
      stop: () => withFolderLock(options.dataDir, leaveIt),
    };
  } catch (error) {
    // What cannot be used is not left running behind the refusal.
    await leaveIt();
    throw error;
  }
}

const topicOf = (place: KafkaPlace): Promise<void> =>
  ensureWakeTopic(
    kafkaClient(place, 'connector-start', () => undefined),
    place.topic,
  );

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
