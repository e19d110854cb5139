import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brokerLacks, fetchArtifacts } from './artifacts';
import { kafkaArguments } from './kafka-server';
import { resolveBroker } from './resolve';

describe('a broker of this machine', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'broker-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const program = async (name: string, script: string): Promise<void> => {
    await writeFile(join(folder, name), `#!/bin/sh\nPATH=/bin\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  };
  const java = (version: string): Promise<void> => program('java', `echo 'openjdk version "${version}" 2025-04-15' >&2`);
  const env = (): NodeJS.ProcessEnv => ({ PATH: folder });
  const lacks = (): Promise<string | undefined> => brokerLacks({ dataDir: folder, env: env() });

  it('NoBroker: without Java it is refused, and every way out is named', async () => {
    const refused: unknown = await resolveBroker({ dataDir: folder, env: env() }).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ code: 'HOUSE:engine:NoBroker' });
    for (const way of ['no Java 17', 'CONNECTOR_KAFKA_BROKERS=', '--wake=local']) expect(String(refused)).toContain(way);
  });

  it.each(['1.8.0_292', '11.0.2', '16'])('lacking: Java %s is too old', async (version) => {
    await java(version);
    await program('mvn', 'exit 0');
    expect(await lacks()).toMatch(/^no Java 17 or newer/);
  });

  it('lacking: Java without Maven, as long as nothing was fetched', async () => {
    await java('17.0.15');
    expect(await lacks()).toBe('no Maven on this machine');
    await program('mvn', `for a in "$@"; do case $a in -DoutputDirectory=*) mkdir -p "\${a#*=}";; esac; done`);
    expect(await lacks()).toBeUndefined();
    await fetchArtifacts({ dataDir: folder, env: env() });
    await rm(join(folder, 'mvn'));
    expect(await lacks()).toBeUndefined();
  });

  it('fetched once: the exact version, with its checksums kept to; a fetch that failed is told and made again', async () => {
    await program(
      'mvn',
      `echo "$*" >> ${join(folder, 'calls')}; [ -e ${join(folder, 'broken')} ] && { echo "no such artifact"; exit 1; }
for a in "$@"; do case $a in -DoutputDirectory=*) mkdir -p "\${a#*=}";; esac; done`,
    );
    await writeFile(join(folder, 'broken'), '');
    await expect(fetchArtifacts({ dataDir: folder, env: env() })).rejects.toThrow(/ended with 1:\nno such artifact/);
    await rm(join(folder, 'broken'));
    await fetchArtifacts({ dataDir: folder, env: env() });
    await fetchArtifacts({ dataDir: folder, env: env() });
    const calls = (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n');
    expect(calls).toHaveLength(2);
    expect(calls[1]).toMatch(/--strict-checksums .*copy-dependencies/);
    expect(await readFile(join(folder, 'kafka-4.3.1', 'pom.xml'), 'utf8')).toContain('<version>4.3.1</version>');
  });

  it('loopback: it listens on this machine alone, and is known by its data folder', () => {
    const args = kafkaArguments('/home/b', '/home/b/data', 9092, 9093);
    expect(args).toEqual(
      expect.arrayContaining(['log.dirs=/home/b/data', 'listeners=BROKER://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093']),
    );
  });
});

describe('a broker that was named', () => {
  it('BrokerRefused: one that does not answer is refused before anything is started', async () => {
    const env = { CONNECTOR_KAFKA_BROKERS: '127.0.0.1:1' };
    await expect(resolveBroker({ dataDir: '/nowhere', env })).rejects.toMatchObject({ code: 'HOUSE:engine:BrokerRefused' });
  }, 30_000);

  it('Invalid: what is no list of brokers is refused by its key', async () => {
    const env = { CONNECTOR_KAFKA_BROKERS: 'kafka' };
    await expect(resolveBroker({ dataDir: '/nowhere', env })).rejects.toThrow(/CONNECTOR_KAFKA_BROKERS: must be host:port/);
  });
});
