import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeContainers } from '@connector/testing/fake-containers';
import { containerName, joinOrRun, leaveContainer, type OwnContainer } from './own-container';

const PORT_NEAR = 45_300;
const IMAGE = { name: 'example/server:v1.2.3', size: 'some 100 MB' };

describe('a container of our own', () => {
  let dataDir: string;
  let engine: FakeContainers;
  let lines: string[];
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'container-'));
    engine = new FakeContainers();
    lines = [];
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  const own = async (more: Partial<OwnContainer> = {}): Promise<OwnContainer> => {
    const name = await containerName('server', dataDir);
    const specFor = (port: number) => Promise.resolve({ name, image: IMAGE.name, port, command: [], environment: {}, mounts: [] });
    const say = (line: string): void => void lines.push(line);
    return {
      title: 'Server',
      image: IMAGE,
      name,
      dataDir,
      say,
      containers: engine,
      specFor,
      answers: () => Promise.resolve(true),
      ...more,
    };
  };
  const nobodyUsesIt = async (): Promise<void> => {
    const file = join(dataDir, 'container.json');
    const record = JSON.parse(await readFile(file, 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...record, users: [{ pid: process.pid, startTime: '1' }] }));
  };

  it('pulled: never silently, the line with its tag and its size comes before the pull, and only where it is missing (engines 1)', async () => {
    const it = await own();
    const port = await joinOrRun(it, PORT_NEAR);
    expect(lines[0]).toBe('pulling the image example/server:v1.2.3, once (some 100 MB)');
    expect(lines.at(-1)).toBe(`starting Server at 127.0.0.1:${port}`);
    await leaveContainer(it);
    await joinOrRun(it, PORT_NEAR);
    expect(engine.acts.filter((act) => act.startsWith('pull'))).toHaveLength(1);
  });

  it('ImageAbsent: a pull that fails, or ends without an image, is refused with the line that pulls it by hand (engines 1)', async () => {
    engine.pull = () => Promise.reject(new Error('no route to the registry'));
    await expect(joinOrRun(await own(), PORT_NEAR)).rejects.toThrow(
      'the image example/server:v1.2.3 could not be pulled: no route to the registry. By hand: docker pull example/server:v1.2.3',
    );
    engine.pull = () => Promise.resolve();
    await expect(joinOrRun(await own(), PORT_NEAR)).rejects.toMatchObject({ code: 'HOUSE:engine:ImageAbsent' });
    expect(engine.running.size).toBe(0);
  });

  it('ContainerFailed: an engine that does not start it is refused with what it said, and nothing is left', async () => {
    engine.run = () => Promise.reject(new Error('no space left on device'));
    const it = await own();
    await expect(joinOrRun(it, PORT_NEAR)).rejects.toMatchObject({
      code: 'HOUSE:engine:ContainerFailed',
      message: /no space left/ as never,
    });
    expect(engine.acts.at(-1)).toBe(`remove ${it.name}`);
  });

  it('another port: one that only the engine knows to be taken is passed over, three times at most', async () => {
    const run = engine.run.bind(engine);
    let failures = 2;
    engine.run = (spec) => ((failures -= 1) >= 0 ? Promise.reject(new Error('Bind: port is already allocated')) : run(spec));
    const it = await own();
    expect(await joinOrRun(it, PORT_NEAR)).toBeGreaterThanOrEqual(PORT_NEAR + 2);
    await leaveContainer(it);
    failures = 3;
    await expect(joinOrRun(it, PORT_NEAR)).rejects.toThrow(/already allocated/);
  });

  it('another port: what somebody listens on is not asked for', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(PORT_NEAR, '127.0.0.1', resolve));
    expect(await joinOrRun(await own(), PORT_NEAR)).toBeGreaterThan(PORT_NEAR);
    server.close();
  });

  it('EngineEnded: one that ends while it starts is told with its log', async () => {
    const it = await own({ answers: () => Promise.resolve(engine.running.delete(it.name) && false) });
    await expect(joinOrRun(it, PORT_NEAR)).rejects.toThrow(`Server ended while starting; its log says:\nthe log of ${it.name}`);
  });

  it('EngineSilent: one that never answers is given up after its time, with its log', async () => {
    const it = await own({ answers: () => Promise.resolve(false), answerWithinMs: 300 });
    await expect(joinOrRun(it, PORT_NEAR)).rejects.toThrow(/does not answer at 127\.0\.0\.1:\d+; its log says:\nthe log of/);
  });

  it('shared: a second one joins, and the last to leave removes it', async () => {
    const it = await own();
    const port = await joinOrRun(it, PORT_NEAR);
    expect(await joinOrRun(it, PORT_NEAR)).toBe(port);
    await leaveContainer(it);
    expect(engine.running.has(it.name)).toBe(true);
    await leaveContainer(it);
    expect(engine.running.size).toBe(0);
    await leaveContainer(it);
  });

  it('taken over: one whose starter is gone is joined again, not started beside itself', async () => {
    const it = await own();
    const port = await joinOrRun(it, PORT_NEAR);
    await nobodyUsesIt();
    expect(await joinOrRun(it, PORT_NEAR)).toBe(port);
    expect(lines.at(-1)).toBe('Server was left running: taking it over');
    expect(engine.acts.filter((act) => act.startsWith('run'))).toHaveLength(1);
  });

  it('begun anew: one that ended, and one of another image that nobody uses, are removed first', async () => {
    const it = await own();
    await joinOrRun(it, PORT_NEAR);
    engine.running.delete(it.name);
    engine.ended.add(it.name);
    await joinOrRun(it, PORT_NEAR);
    expect(engine.acts.slice(-2)).toEqual([`remove ${it.name}`, expect.stringMatching(/^run/)]);
    await nobodyUsesIt();
    await joinOrRun({ ...it, image: { name: 'example/server:v2', size: 'more' } }, PORT_NEAR);
    expect(engine.acts.at(-1)).toMatch(/^run/);
  });

  it('OtherEngineRuns: one of another image that somebody uses is left alone', async () => {
    const it = await own();
    await joinOrRun(it, PORT_NEAR);
    const other = { ...it, image: { name: 'example/server:v2', size: 'more' } };
    await expect(joinOrRun(other, PORT_NEAR)).rejects.toMatchObject({ code: 'HOUSE:engine:OtherEngineRuns' });
    expect(engine.running.has(it.name)).toBe(true);
  });

  it('its own name: it stays with its folder, and a wiped folder gets another one', async () => {
    const first = await containerName('server', dataDir);
    expect(await containerName('server', dataDir)).toBe(first);
    await rm(join(dataDir, 'container-id'));
    expect(await containerName('server', dataDir)).not.toBe(first);
  });
});
