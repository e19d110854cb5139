import type { InputFault } from '@connector/kernel/faults';
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram, isExecutable, readIfThere, writePrivately } from '../engine/files';
import { refusal } from '../engine/engine';
import { outputOf, run } from '../engine/run';
import { type BrokerOptions, KAFKA_VERSION } from './broker';

const FETCH_WITHIN_MS = 10 * 60_000;
const JAVA_MIN = 17;
const DEBIAN = 'apt-get update && apt-get install -y --no-install-recommends openjdk-17-jre-headless maven';
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';

const POM = `<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>connector</groupId><artifactId>broker</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${KAFKA_VERSION}</version></dependency>
  </dependencies>
</project>
`;

/** Java 17 or newer, by `JAVA_HOME` or the PATH. */
export async function findJava(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const home = env['JAVA_HOME'];
  const named = home === undefined || home === '' ? undefined : join(home, 'bin', 'java');
  const java = named !== undefined && (await isExecutable(named)) ? named : await findProgram(['java'], env);
  if (java === undefined) return undefined;
  const said = await outputOf(java, ['-version'], { withinMs: 20_000, env });
  return Number(/version "(\d+)/.exec(said)?.[1] ?? 0) >= JAVA_MIN ? java : undefined;
}

/** Why no broker of our own can be started here; undefined where one can. */
export async function brokerLacks({ dataDir, env }: Pick<BrokerOptions, 'dataDir' | 'env'>): Promise<string | undefined> {
  if ((await findJava(env)) === undefined) return `no Java ${JAVA_MIN} or newer on this machine`;
  const fetched = (await readIfThere(pomOf(dataDir))) === POM;
  return fetched || (await findProgram(['mvn'], env)) !== undefined ? undefined : 'no Maven on this machine';
}

/** `lack`: as `brokerLacks` says it; `silent`: why no container can be had instead. */
export async function noBroker(lack: string, silent: string, env: NodeJS.ProcessEnv): Promise<InputFault> {
  const debian = (await findProgram(['apt-get'], env)) !== undefined;
  return refusal(
    'NoBroker',
    [
      `no Kafka broker found, ${lack} to run one with, and no container: ${silent}. One of these helps:`,
      '  name a running one: CONNECTOR_KAFKA_BROKERS=host:9092',
      debian ? `  as root:   ${DEBIAN}` : `  install Java ${JAVA_MIN} or newer and Maven, so that java and mvn are on the PATH`,
      `  or start a container engine: the broker is then run from apache/kafka:${KAFKA_VERSION}`,
      '  or start without a broker: npm start -- --wake=local',
    ].join('\n'),
  );
}

const folderOf = (dataDir: string): string => join(dataDir, `kafka-${KAFKA_VERSION}`);
/** Written last, so that with it the folder is whole. */
const pomOf = (dataDir: string): string => join(folderOf(dataDir), 'fetched.xml');
export const classPathOf = (dataDir: string): string => join(folderOf(dataDir), 'libs', '*');

/** Fetched once by Maven, with its checksums kept to. Safe to repeat after being killed at any point. */
export async function fetchArtifacts({ dataDir, env, onProgress: say = () => undefined }: BrokerOptions): Promise<void> {
  if ((await readIfThere(pomOf(dataDir))) === POM) return;
  const mvn = await findProgram(['mvn'], env);
  if (mvn === undefined) throw refusal('NoBroker', 'Maven went away');
  const folder = folderOf(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const [pom, libs, draft] = [join(folder, 'pom.xml'), join(folder, 'libs'), join(folder, `libs.${randomUUID()}`)];
  await writePrivately(pom, POM);
  say(`fetching Apache Kafka ${KAFKA_VERSION} by Maven, once (44 MB)`);
  const args = ['-q', '-B', '--strict-checksums', '-f', pom, COPY, `-DoutputDirectory=${draft}`];
  await run(mvn, args, { withinMs: FETCH_WITHIN_MS, env, onWait: (seconds) => say(`Maven: ${seconds} s`) });
  await rm(libs, { recursive: true, force: true });
  await rename(draft, libs);
  await writePrivately(pomOf(dataDir), POM);
}
