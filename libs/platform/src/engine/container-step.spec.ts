import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RetryableFault } from '@connector/kernel/faults';
import { FakeContainers } from '@connector/testing/fake-containers';
import { containerStep } from './container-step';
import type { EngineOptions } from './engine';
import { resolveEngine } from './resolve';
import { TIDB_IMAGE } from './tidb-container';

const NOBODY = { kind: 'silent', why: 'no socket of one on this machine' } as const;

describe('the container step of the database', () => {
  let dataDir: string;
  let containers: FakeContainers;
  let lines: string[];
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'step-'));
    containers = new FakeContainers();
    lines = [];
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));
  const options = (more: Partial<EngineOptions> = {}): EngineOptions => ({
    ...{ dataDir, containers, env: { PATH: dataDir }, mayInstall: false, portNear: 45_400 },
    onProgress: (line) => lines.push(line),
    ...more,
  });

  it('passed over: where no engine answers one line says so, and the next way is tried (engines 1)', async () => {
    containers.looked = NOBODY;
    expect(await containerStep(options())).toBeUndefined();
    expect(lines).toEqual(['no container engine answers: no socket of one on this machine']);
    expect(containers.acts).toEqual([]);
  });

  it('NoContainerEngine: forced, it is refused by name, with what was asked and what to do (engines 1)', async () => {
    containers.looked = NOBODY;
    const refused: unknown = await resolveEngine(options({ forced: 'container' })).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ code: 'HOUSE:engine:NoContainerEngine' });
    for (const word of ['--engine=container', TIDB_IMAGE.name, NOBODY.why, 'DOCKER_HOST=', 'without --engine'])
      expect(String(refused)).toContain(word);
  });

  it.each([
    ['an image that cannot be pulled', () => (containers.pull = () => Promise.reject(new Error('manifest unknown'))), /manifest unknown/],
    ['a container that is not started', () => (containers.run = () => Promise.reject(new Error('no such runtime'))), /no such runtime/],
    [
      'an engine that is too slow',
      () =>
        (containers.hasImage = () =>
          Promise.reject(new RetryableFault('HOUSE:host:Late', 'a look at the images took longer than 20000 ms'))),
      /took longer/,
    ],
  ])('passed over: %s: a line says why; forced, it is refused (engines 1)', async (_, spoil, why) => {
    spoil();
    expect(await containerStep(options())).toBeUndefined();
    expect(lines.at(-1)).toMatch(/^pingcap\/tidb:v[\d.]+ in a container is passed over: /);
    expect(lines.at(-1)).toMatch(why);
    await expect(resolveEngine(options({ forced: 'container' }))).rejects.toThrow(why);
    expect(containers.running.size).toBe(0);
  });

  it('EngineEnded: what should have worked and did not is thrown, not passed over', async () => {
    const run = containers.run.bind(containers);
    containers.run = async (spec) => {
      await run(spec);
      containers.running.delete(spec.name);
      containers.ended.add(spec.name);
    };
    await expect(containerStep(options())).rejects.toMatchObject({ code: 'HOUSE:engine:EngineEnded' });
    expect(containers.ended.size).toBe(0);
  });

  it('as it is run: the pinned tag, its data in a volume of this folder alone, what it needs for the embedded store', async () => {
    let spec: unknown;
    containers.run = (asked) => {
      spec = asked;
      return Promise.reject(new Error('seen'));
    };
    await containerStep(options());
    expect(spec).toMatchObject({
      image: TIDB_IMAGE.name,
      name: expect.stringMatching(/^connector-tidb-[0-9a-f]{16}$/) as string,
      command: expect.arrayContaining([
        '--store=unistore',
        '--host=0.0.0.0',
        '--path=/connector/data',
        '--config=/connector/tidb.toml',
      ]) as string[],
      mounts: [
        expect.stringMatching(/^connector-tidb-[0-9a-f]{16}:\/connector\/data$/),
        `${join(dataDir, 'tidb.toml')}:/connector/tidb.toml:ro`,
      ],
    });
  });

  it('not asked: where this machine has a database of its own, or another one is forced, no container engine is looked at', async () => {
    containers.look = () => Promise.reject(new Error('looked at'));
    for (const name of ['mariadbd', 'mariadb-install-db']) {
      await writeFile(join(dataDir, name), '#!/bin/sh\nexit 1\n');
      await chmod(join(dataDir, name), 0o755);
    }
    await expect(resolveEngine(options())).rejects.toMatchObject({ code: 'HOUSE:engine:CommandFailed' });
    await expect(resolveEngine(options({ forced: 'tidb' }))).rejects.toMatchObject({ code: 'HOUSE:engine:NoEngine' });
  });
});
