import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivately } from '../engine/files';
import { freePort } from '../engine/free-port';
import type { OwnProgram } from '../engine/own-program';
import { run } from '../engine/run';
import { kafkaClient } from '../kafka/client';
import { classPathOf, fetchArtifacts } from './artifacts';
import { type BrokerOptions, KAFKA_VERSION } from './broker';

const FORMAT_WITHIN_MS = 60_000;
/** A small broker that starts in seconds: what it holds is worth nothing after a minute. */
const JVM = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

/** Apache Kafka, one node that is broker and controller, in a folder of its own, on loopback. It asks nobody for a password: hints decide nothing. */
export function kafkaServer(java: string, options: BrokerOptions): OwnProgram {
  const { dataDir, env, onProgress: say = () => undefined } = options;
  const data = join(dataDir, 'data');
  return {
    kind: 'kafka',
    title: `Apache Kafka ${KAFKA_VERSION}`,
    program: java,
    ...{ dataDir, env, say },
    dataArgument: `log.dirs=${data}`,
    prepare: () => prepare(java, options, data),
    argumentsFor: async (port) => kafkaArguments(dataDir, data, port, await freePort(port + 1)),
    answers,
  };
}

export function kafkaArguments(dataDir: string, data: string, port: number, controllerPort: number): readonly string[] {
  const overrides = [
    `log.dirs=${data}`,
    `listeners=BROKER://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    `advertised.listeners=BROKER://127.0.0.1:${port}`,
    `controller.quorum.voters=1@127.0.0.1:${controllerPort}`,
  ];
  const properties = propertiesFile(dataDir);
  return [...JVM, '-cp', classPathOf(dataDir), 'kafka.Kafka', properties, ...overrides.flatMap((each) => ['--override', each])];
}

const propertiesFile = (dataDir: string): string => join(dataDir, 'server.properties');

/** One node that is broker and controller, as small as it gets. */
export const fixedProperties = {
  'process.roles': 'broker,controller',
  'node.id': '1',
  'listener.security.protocol.map': 'BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT',
  'inter.broker.listener.name': 'BROKER',
  'controller.listener.names': 'CONTROLLER',
  'auto.create.topics.enable': 'false',
  'num.partitions': '4',
  'default.replication.factor': '1',
  'offsets.topic.replication.factor': '1',
  'offsets.topic.num.partitions': '4',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'group.initial.rebalance.delay.ms': '0',
  'controlled.shutdown.enable': 'false',
};

/** Ports are told at every start; those here only make it a whole configuration. */
function propertiesOf(data: string): string {
  const ports = { 'controller.quorum.voters': '1@127.0.0.1:9093', listeners: 'BROKER://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093' };
  const lines = Object.entries({ ...fixedProperties, ...ports, 'log.dirs': data }).map(([key, value]) => `${key}=${value}`);
  return `${lines.join('\n')}\n`;
}

async function prepare(java: string, options: BrokerOptions, data: string): Promise<void> {
  const { dataDir, env } = options;
  await fetchArtifacts(options);
  await writePrivately(propertiesFile(dataDir), propertiesOf(data));
  // Every start begins anew: nothing in it is missed, and a broker that was killed would wait for its own registration to time out.
  await rm(data, { recursive: true, force: true });
  await mkdir(data, { recursive: true, mode: 0o700 });
  // In one word: one id of 64 begins with a dash, and the tool takes that for an option of its own.
  const cluster = `--cluster-id=${randomBytes(16).toString('base64url')}`;
  const args = [...JVM, '-cp', classPathOf(dataDir), 'kafka.tools.StorageTool', 'format', cluster, '-c', propertiesFile(dataDir)];
  await run(java, args, { withinMs: FORMAT_WITHIN_MS, env });
}

/** Not before it counts itself as a broker: a topic made earlier would find nowhere to stand. */
export async function answers(port: number): Promise<boolean> {
  const admin = kafkaClient({ brokers: [`127.0.0.1:${port}`], topic: '' }, 'connector-start', () => undefined).admin({
    retry: { retries: 0 },
  });
  try {
    await admin.connect();
    return (await admin.describeCluster()).brokers.length > 0;
  } catch {
    return false;
  } finally {
    await admin.disconnect();
  }
}
