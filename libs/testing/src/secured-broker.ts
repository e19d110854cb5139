import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { classPathOf, fetchArtifacts, findJava } from '@connector/platform/broker/artifacts';
import { kafkaServer } from '@connector/platform/broker/kafka-server';
import { writePrivately } from '@connector/platform/engine/files';
import { withFolderLock } from '@connector/platform/engine/folder-lock';
import { freePort } from '@connector/platform/engine/free-port';
import { joinOrStart, leave, type OwnProgram } from '@connector/platform/engine/own-program';
import { run } from '@connector/platform/engine/run';
import { type BrokerKeys, makeBrokerKeys } from './broker-keys';
import { testBrokerFolder } from './test-broker';

const STEP_WITHIN_MS = 60_000;
const PORT_NEAR = 44_292;

/** A broker that lets nobody in without a password and speaks TLS under an authority that was made a moment ago. Addresses are `host:port`. */
export interface SecuredBroker {
  readonly secured: string;
  /** TLS, and no password asked for. */
  readonly tls: string;
  /** Neither: the way by which the broker is set up. */
  readonly plain: string;
  readonly user: string;
  readonly password: string;
  readonly keys: BrokerKeys;
  /** Of this run alone, and gone with it. */
  readonly folder: string;
  stop(): Promise<void>;
}
type Doors = Pick<SecuredBroker, 'secured' | 'tls'>;
type Login = Pick<SecuredBroker, 'user' | 'password'>;

/** Apache Kafka as the product starts it, with two more doors. Its passwords are of this run and stand in private files. */
export async function openSecuredBroker(): Promise<SecuredBroker> {
  const java = await findJava(process.env);
  if (java === undefined) throw new Error('no Java 17 or newer on this machine');
  const folder = await mkdtemp(join(tmpdir(), 'secured-broker-'));
  const login = { user: 'connector', password: randomBytes(18).toString('hex') };
  const keys = await makeBrokerKeys(java, folder);
  await shareArtifacts(folder);
  const doors = await twoDoors();
  const own = securedServer(java, folder, doors, keys, login);
  const stop = async (): Promise<void> => {
    await leave(own);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const { port } = await joinOrStart(own, PORT_NEAR);
    const plain = `127.0.0.1:${port}`;
    await allowScram(java, folder, plain, login);
    return { ...doors, plain, ...login, keys, folder, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

/** Those that the shared broker of the run fetched. */
async function shareArtifacts(folder: string): Promise<void> {
  await withFolderLock(testBrokerFolder, () => fetchArtifacts({ dataDir: testBrokerFolder, env: process.env }));
  const fetched = dirname(dirname(classPathOf(testBrokerFolder)));
  await symlink(await realpath(fetched), join(folder, basename(fetched)));
}

async function twoDoors(): Promise<Doors> {
  const secured = await freePort(PORT_NEAR + 10);
  return { secured: `127.0.0.1:${secured}`, tls: `127.0.0.1:${await freePort(secured + 1)}` };
}

function securedServer(java: string, folder: string, { secured, tls }: Doors, keys: BrokerKeys, login: Login): OwnProgram {
  const plain = kafkaServer(java, { dataDir: folder, env: process.env });
  const doors = `,SECURED://${secured},TLS://${tls}`;
  return {
    ...plain,
    prepare: async () => {
      await plain.prepare();
      await appendFile(join(folder, 'server.properties'), securedProperties(keys, login));
    },
    argumentsFor: async (port) =>
      (await plain.argumentsFor(port)).map((each) => (/^(advertised\.)?listeners=/.test(each) ? each + doors : each)),
  };
}

/** In the file that the product wrote for this user alone; of two lines with one key the later one holds. */
function securedProperties({ store, storePassword }: BrokerKeys, { user, password }: Login): string {
  const module = 'org.apache.kafka.common.security';
  return [
    'listener.security.protocol.map=BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURED:SASL_SSL,TLS:SSL',
    `ssl.keystore.location=${store}`,
    'ssl.keystore.type=PKCS12',
    `ssl.keystore.password=${storePassword}`,
    `ssl.key.password=${storePassword}`,
    'listener.name.secured.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-512',
    `listener.name.secured.plain.sasl.jaas.config=${module}.plain.PlainLoginModule required user_${user}="${password}";`,
    `listener.name.secured.scram-sha-512.sasl.jaas.config=${module}.scram.ScramLoginModule required;`,
    '',
  ].join('\n');
}

/** SCRAM's users live in the broker, PLAIN's in its file. Told by a file: what stands on a command line is everybody's. */
async function allowScram(java: string, folder: string, plain: string, { user, password }: Login): Promise<void> {
  const file = join(folder, 'scram.properties');
  await writePrivately(file, `SCRAM-SHA-512=password=${password}\n`);
  const who = ['--entity-type', 'users', '--entity-name', user];
  const args = ['-cp', classPathOf(folder), 'kafka.admin.ConfigCommand', '--bootstrap-server', plain, '--alter', ...who];
  await run(java, [...args, '--add-config-file', file], { withinMs: STEP_WITHIN_MS });
}
