import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeContainers } from '@connector/testing/fake-containers';
import type { ContainerSpec } from '../containers/containers';
import { brokerLacks, fetchArtifacts } from './artifacts';
import { KAFKA_IMAGE } from './kafka-container';
import { kafkaArguments } from './kafka-server';
import { resolveBroker } from './resolve';

describe('a broker of this machine', () => {
  let folder: string;
  let containers: FakeContainers;
  beforeEach(async () => {
    containers = new FakeContainers();
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

  it('NoBroker: without Java and without a container engine it is refused, and every way out is named (engines 2)', async () => {
    containers.looked = { kind: 'silent', why: 'no socket of one on this machine' };
    const refused: unknown = await resolveBroker({ dataDir: folder, env: env(), containers }).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ code: 'HOUSE:engine:NoBroker' });
    const ways = [
      'no Java 17',
      'no socket of one',
      'CONNECTOR_KAFKA_BROKERS=',
      'start a container engine',
      KAFKA_IMAGE.name,
      '--wake=local',
    ];
    for (const way of ways) expect(String(refused)).toContain(way);
  });

  it('container: without Java it is run from its pinned image, at 127.0.0.1 inside and outside, with a line before the pull (engines 2)', async () => {
    const lines: string[] = [];
    let spec: ContainerSpec | undefined;
    containers.run = (asked) => {
      spec = asked;
      return Promise.reject(new Error('seen'));
    };
    const options = { dataDir: folder, env: env(), containers, portNear: 45_500, onProgress: (line: string) => void lines.push(line) };
    await expect(resolveBroker(options)).rejects.toThrow(/does not start apache\/kafka:4\.3\.1: seen/);
    expect(lines.slice(0, 2)).toEqual([
      'no Java 17 or newer on this machine: taking a container',
      'pulling the image apache/kafka:4.3.1, once (some 460 MB unpacked)',
    ]);
    expect(spec).toMatchObject({ image: 'apache/kafka:4.3.1', mounts: [] });
    expect(spec?.environment).toMatchObject({
      KAFKA_LISTENERS: `BROKER://0.0.0.0:${spec?.port},CONTROLLER://127.0.0.1:9093`,
      KAFKA_ADVERTISED_LISTENERS: `BROKER://127.0.0.1:${spec?.port}`,
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@127.0.0.1:9093',
      KAFKA_PROCESS_ROLES: 'broker,controller',
    });
    expect(containers.running.size).toBe(0);
  });

  it('not asked: with Java and Maven here no container engine is looked at', async () => {
    await java('17.0.15');
    await program('mvn', 'exit 1');
    containers.look = () => Promise.reject(new Error('looked at'));
    await expect(resolveBroker({ dataDir: folder, env: env(), containers })).rejects.toThrow(/ended with 1/);
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
