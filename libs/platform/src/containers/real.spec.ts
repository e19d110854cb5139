import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveBroker } from '../broker/resolve';
import { answers, withConnection } from '../engine/connect';
import { resolveEngine } from '../engine/resolve';
import { containersOfThisMachine } from './testcontainers';

/** The first time two images are pulled. */
const WITHIN_MS = 20 * 60_000;

describe('a real container engine [needs container]', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'real-'));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  it(
    'tidb: TiDB from its image answers at 127.0.0.1 with what the product needs, and a second start finds its data (engines 1)',
    async () => {
      const open = () => resolveEngine({ dataDir, forced: 'container', portNear: 44_700, env: process.env, mayInstall: false });
      const first = await open();
      await withConnection(first, (ask) => ask('CREATE DATABASE kept'));
      await first.stop();
      expect(await answers(first)).toBe(false);
      const second = await open();
      expect(second).toMatchObject({ kind: 'tidb', host: '127.0.0.1', password: first.password, grantsEnforced: true });
      expect(await answers({ ...second, password: '' })).toBe(false);
      expect(await withConnection(second, (ask) => ask("SHOW DATABASES LIKE 'kept'"))).toEqual([['kept']]);
      await second.stop();
    },
    WITHIN_MS,
  );

  it(
    'kafka: Apache Kafka from its image answers at 127.0.0.1 and has the topic, where there is no Java (engines 2)',
    async () => {
      const env = { ...process.env, PATH: dataDir, JAVA_HOME: '' };
      const broker = await resolveBroker({ dataDir, env, portNear: 44_800, containers: containersOfThisMachine(process.env) });
      expect(broker.source).toBe('container of apache/kafka:4.3.1');
      expect(broker.place.brokers).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+$/)]);
      await broker.stop();
    },
    WITHIN_MS,
  );
});
