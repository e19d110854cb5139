import { access } from 'node:fs/promises';
import { get } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { EngineLook } from './containers';

const ANSWER_WITHIN_MS = 2_000;
const IN_A_CONTAINER = ['/.dockerenv', '/run/.containerenv'];

type Place = { readonly socketPath: string } | { readonly host: string; readonly port: number };

/**
 * Whether a container engine of this machine answers, without the package that speaks to it: a machine that has none pays nothing. The
 * places are those that the package looks at.
 */
export async function lookForEngine(env: NodeJS.ProcessEnv, marks: readonly string[] = IN_A_CONTAINER): Promise<EngineLook> {
  for (const mark of marks) {
    if (await exists(mark)) return silent(`this is a container itself (${mark}): what another one binds to 127.0.0.1 is not to be reached`);
  }
  const named = env['DOCKER_HOST'] ?? '';
  if (named === '') return lookAt(await socketsOf(env));
  const place = placeOf(named);
  return place === undefined ? silent('DOCKER_HOST names another machine, or no plain address') : lookAt([place]);
}

/** `undefined`: not of this machine, or a way of asking that is not ours. */
export function placeOf(address: string): Place | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, port, pathname } = new URL(address);
  if (protocol === 'unix:' && pathname !== '') return { socketPath: pathname };
  const loopback = ['127.0.0.1', 'localhost'].includes(hostname);
  return protocol === 'tcp:' && loopback && port !== '' ? { host: hostname, port: Number(port) } : undefined;
}

async function socketsOf(env: NodeJS.ProcessEnv): Promise<readonly Place[]> {
  const home = env['HOME'] ?? homedir();
  const ofUser = env['XDG_RUNTIME_DIR'] ?? join('/run/user', String(process.getuid?.() ?? ''));
  const files = ['/var/run', ofUser, join(home, '.docker/run'), join(home, '.docker/desktop')].map((folder) => join(folder, 'docker.sock'));
  const there = await Promise.all(files.map(exists));
  return files.filter((_, at) => there[at]).map((socketPath) => ({ socketPath }));
}

async function lookAt(places: readonly Place[]): Promise<EngineLook> {
  const reasons: string[] = [];
  for (const place of places) {
    const reason = await whySilent(place);
    if (reason === undefined) return { kind: 'answers' };
    reasons.push(`${wordOf(place)}: ${reason}`);
  }
  return silent(places.length === 0 ? 'no socket of one on this machine' : reasons.join('; '));
}

/** Bounded as a whole: a peer that takes the connection and says nothing is as good as absent. */
function whySilent(place: Place): Promise<string | undefined> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  return new Promise((resolve) => {
    const asked = get({ ...place, path: '/_ping', signal }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200 ? undefined : `answered with status ${answer.statusCode ?? 0}`);
    });
    asked.once('error', (error) => resolve(signal.aborted ? `no answer within ${ANSWER_WITHIN_MS / 1000} s` : error.message));
  });
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
const silent = (why: string): EngineLook => ({ kind: 'silent', why });
const wordOf = (place: Place): string => ('socketPath' in place ? place.socketPath : `${place.host}:${place.port}`);
