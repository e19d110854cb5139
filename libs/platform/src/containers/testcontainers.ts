import type { ContainerRuntimeClient } from 'testcontainers';
import { within } from '../host/within';
import type { Containers, ContainerSpec, ContainerState } from './containers';
import { lookForEngine } from './look';

const ANSWER_WITHIN_MS = 20_000;
const STOP_WITHIN_MS = 30_000;
const PULL_WITHIN_MS = 15 * 60_000;
const WAIT_EVERY_MS = 5_000;
const LOG_LINES = 40;
const FRAME_HEADER = 8;

/**
 * The container engine of this machine, by the client of testcontainers. Its own containers are not used: they bind every address of the
 * machine, and pull a second image that cleans up behind them. What we start is removed by its name.
 */
export function containersOfThisMachine(env: NodeJS.ProcessEnv): Containers {
  const client = once(connect);
  return {
    look: () => lookForEngine(env),
    hasImage: async (image) => within(ANSWER_WITHIN_MS, hasImage(await client(), image), 'a look at the images'),
    pull: async (image, onWait) => pull(await client(), image, onWait),
    run: async (spec) => within(ANSWER_WITHIN_MS, start(await client(), spec), 'the start of a container'),
    stateOf: async (name) => within(ANSWER_WITHIN_MS, stateOf(await client(), name), 'a look at a container'),
    logOf: async (name) => within(ANSWER_WITHIN_MS, logOf(await client(), name), 'the log of a container'),
    remove: async (name) => within(ANSWER_WITHIN_MS + STOP_WITHIN_MS, remove(await client(), name), 'the end of a container'),
  };
}

type Client = ContainerRuntimeClient;

/** Loaded by whoever found an engine that answers: it is the largest package of all. */
async function connect(): Promise<Client> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  return within(ANSWER_WITHIN_MS, getContainerRuntimeClient(), 'the container engine');
}

/** Asked again after a failure. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((thrown: unknown) => {
      made = undefined;
      throw thrown;
    }));
}

async function hasImage(client: Client, image: string): Promise<boolean> {
  return unlessAbsent(
    client.container.dockerode
      .getImage(image)
      .inspect()
      .then(() => true),
    false,
  );
}

async function pull(client: Client, image: string, onWait: (seconds: number) => void): Promise<void> {
  const { ImageName } = await import('testcontainers');
  const began = performance.now();
  const ticker = setInterval(() => onWait(Math.round((performance.now() - began) / 1_000)), WAIT_EVERY_MS);
  try {
    await within(PULL_WITHIN_MS, client.image.pull(ImageName.fromString(image)), `pulling ${image}`);
  } finally {
    clearInterval(ticker);
  }
}

async function start(client: Client, spec: ContainerSpec): Promise<void> {
  const port = `${spec.port}/tcp`;
  const container = await client.container.create({
    name: spec.name,
    Image: spec.image,
    Cmd: [...spec.command],
    Env: Object.entries(spec.environment).map(([key, value]) => `${key}=${value}`),
    Labels: { connector: 'one machine' },
    ExposedPorts: { [port]: {} },
    HostConfig: { PortBindings: { [port]: [{ HostIp: '127.0.0.1', HostPort: String(spec.port) }] }, Binds: [...spec.mounts] },
  });
  await client.container.start(container);
}

async function stateOf(client: Client, name: string): Promise<ContainerState> {
  const seen = client.container.getById(name).inspect();
  return unlessAbsent(
    seen.then(({ State }) => (State.Running ? 'running' : 'ended')),
    'absent',
  );
}

async function logOf(client: Client, name: string): Promise<string> {
  return textOf(await client.container.getById(name).logs({ follow: false, stdout: true, stderr: true, tail: LOG_LINES }));
}

/** Each piece of a log comes behind eight bytes of which the last four are its length. */
export function textOf(log: Buffer): string {
  const pieces: string[] = [];
  for (let at = 0; at + FRAME_HEADER <= log.length;) {
    const end = at + FRAME_HEADER + log.readUInt32BE(at + 4);
    pieces.push(log.toString('utf8', at + FRAME_HEADER, end));
    at = end;
  }
  return pieces.join('');
}

async function remove(client: Client, name: string): Promise<void> {
  const container = client.container.getById(name);
  await unlessAbsent(
    client.container.stop(container, { timeout: STOP_WITHIN_MS }).then(() => container.remove()),
    undefined,
  );
}

/** What the engine does not know is an answer; every other refusal of it is thrown. */
async function unlessAbsent<T>(asked: Promise<T>, absent: T): Promise<T> {
  try {
    return await asked;
  } catch (thrown) {
    if (thrown instanceof Error && Reflect.get(thrown, 'statusCode') === 404) return absent;
    throw thrown;
  }
}
