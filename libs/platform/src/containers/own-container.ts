import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { breakdown, refusal } from '../engine/engine';
import { readIfThere, writePrivately } from '../engine/files';
import { freePort } from '../engine/free-port';
import { markOf, type ProcessMark } from '../engine/process';
import { isMark, isObject, livingUsers } from '../engine/record';
import type { Containers, ContainerSpec, PinnedImage } from './containers';

const ANSWER_WITHIN_MS = 90_000;
const LOOK_EVERY_MS = 250;
const STARTS = 3;
const PORT_TAKEN = /port is already allocated|address already in use/i;

/** A server that we know how to run in a container of its own, at 127.0.0.1. */
export interface OwnContainer {
  readonly title: string;
  readonly image: PinnedImage;
  /** `containerName` of its folder. */
  readonly name: string;
  /** Its record stands here; one container a folder. */
  readonly dataDir: string;
  readonly say: (line: string) => void;
  readonly containers: Containers;
  specFor(port: number): Promise<ContainerSpec>;
  answers(port: number): Promise<boolean>;
  /** How long it is waited for, ms. */
  readonly answerWithinMs?: number;
}

/** Who uses the container of a folder; whoever finds none of them alive takes it over. */
interface ContainerRecord {
  readonly image: string;
  readonly port: number;
  readonly users: readonly ProcessMark[];
}

/** Of this data folder and of no other, on any machine: what has this name is ours. A folder that was wiped gets another one, with empty data. */
export async function containerName(kind: string, dataDir: string): Promise<string> {
  const file = join(dataDir, 'container-id');
  const kept = (await readIfThere(file))?.trim();
  if (kept !== undefined && /^[0-9a-f]{16}$/.test(kept)) return `connector-${kind}-${kept}`;
  const minted = randomBytes(8).toString('hex');
  await writePrivately(file, `${minted}\n`);
  return `connector-${kind}-${minted}`;
}

/** Joined or taken over when it runs, started when not; answers with its port. Call under the folder's lock. */
export async function joinOrRun(own: OwnContainer, portNear: number): Promise<number> {
  return (await joinRunning(own)) ?? (await start(own, portNear));
}

/** The last one to leave removes the container; its volume stays. Call under the folder's lock. */
export async function leaveContainer({ dataDir, name, containers }: OwnContainer): Promise<void> {
  const record = await readRecord(dataDir);
  if (record === undefined) return;
  const users = await livingUsers(record);
  const mine = users.findIndex(({ pid }) => pid === process.pid);
  const others = users.filter((_, index) => index !== mine);
  if (others.length > 0) return writeRecord(dataDir, { ...record, users: others });
  await containers.remove(name);
  await rm(fileOf(dataDir), { force: true });
}

async function joinRunning(own: OwnContainer): Promise<number | undefined> {
  const record = await readRecord(own.dataDir);
  if (record === undefined || (await own.containers.stateOf(own.name)) !== 'running') return undefined;
  const users = await livingUsers(record);
  if (record.image !== own.image.name) {
    if (users.length === 0) return undefined;
    const pids = users.map(({ pid }) => pid).join(', ');
    throw refusal('OtherEngineRuns', `the container of this folder runs ${record.image} and is in use by process ${pids}; end that first`);
  }
  own.say(users.length > 0 ? `${own.title} runs already: joining it` : `${own.title} was left running: taking it over`);
  await writeRecord(own.dataDir, { ...record, users: [...users, await markOf(process.pid)] });
  await untilItAnswers(own, record.port);
  return record.port;
}

async function start(own: OwnContainer, portNear: number): Promise<number> {
  await fetchImage(own);
  // Whoever was killed between its start and its record left one that nobody uses.
  await own.containers.remove(own.name);
  const port = await runAtFreePort(own, portNear);
  await writeRecord(own.dataDir, { image: own.image.name, port, users: [await markOf(process.pid)] });
  await untilItAnswers(own, port);
  return port;
}

async function runAtFreePort(own: OwnContainer, portNear: number): Promise<number> {
  for (let tries = 1, near = portNear; ; tries += 1) {
    const port = await freePort(near);
    own.say(`starting ${own.title} at 127.0.0.1:${port}`);
    try {
      await own.containers.run(await own.specFor(port));
      return port;
    } catch (thrown) {
      await own.containers.remove(own.name);
      // Somebody took the port between our look and the engine's, or only the engine knows who holds it.
      if (!PORT_TAKEN.test(messageOf(thrown)) || tries === STARTS)
        throw refusal('ContainerFailed', `the container engine does not start ${own.image.name}: ${messageOf(thrown)}`);
      near = port + 1;
    }
  }
}

/** Never silently: what is fetched is named first, with how much it is. */
async function fetchImage({ containers, image, say }: OwnContainer): Promise<void> {
  if (await containers.hasImage(image.name)) return;
  say(`pulling the image ${image.name}, once (${image.size})`);
  const failed = await containers
    .pull(image.name, (seconds) => say(`pulling ${image.name}: ${seconds} s`))
    .then(() => 'it is not among the images of the engine', messageOf);
  // The end of a pull says nothing of how it went.
  if (!(await containers.hasImage(image.name)))
    throw refusal('ImageAbsent', `the image ${image.name} could not be pulled: ${failed}. By hand: docker pull ${image.name}`);
}

async function untilItAnswers(own: OwnContainer, port: number): Promise<void> {
  for (const until = performance.now() + (own.answerWithinMs ?? ANSWER_WITHIN_MS); performance.now() < until;) {
    if (await own.answers(port)) return;
    if ((await own.containers.stateOf(own.name)) !== 'running') {
      const log = await own.containers.logOf(own.name);
      throw breakdown('EngineEnded', `${own.title} ended while starting; its log says:\n${log}`);
    }
    await pause(LOOK_EVERY_MS);
  }
  const log = await own.containers.logOf(own.name);
  throw breakdown(
    'EngineSilent',
    `${own.title} runs as container ${own.name} and does not answer at 127.0.0.1:${port}; its log says:\n${log}`,
  );
}

const fileOf = (dataDir: string): string => join(dataDir, 'container.json');

async function readRecord(dataDir: string): Promise<ContainerRecord | undefined> {
  const text = await readIfThere(fileOf(dataDir));
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  return isRecord(value) ? value : undefined;
}

const writeRecord = (dataDir: string, record: ContainerRecord): Promise<void> => writePrivately(fileOf(dataDir), JSON.stringify(record));

function isRecord(value: unknown): value is ContainerRecord {
  if (!isObject(value) || !Array.isArray(value['users']) || !value['users'].every(isMark)) return false;
  return typeof value['image'] === 'string' && typeof value['port'] === 'number';
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
