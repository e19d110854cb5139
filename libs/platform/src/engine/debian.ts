import { findMariadb } from './mariadb';
import { breakdown } from './engine';
import { findProgram } from './files';
import { run, succeeds } from './run';

const PACKAGES = ['mariadb-server-core', 'mariadb-client-core'];
/** The programs without a system service. */
export const installLine = `apt-get update && apt-get install -y --no-install-recommends ${PACKAGES.join(' ')}`;
const WITHIN_MS = 10 * 60_000;

/** How this user may run `apt-get`; `undefined` where there is none or no right to it. */
export async function aptGet(env: NodeJS.ProcessEnv): Promise<readonly string[] | undefined> {
  const program = await findProgram(['apt-get'], env);
  if (program === undefined) return undefined;
  if (process.getuid?.() === 0) return [program];
  const sudo = await findProgram(['sudo'], env);
  if (sudo === undefined || !(await succeeds(sudo, ['-n', 'true'], { withinMs: 10_000, env }))) return undefined;
  return [sudo, '-n', 'DEBIAN_FRONTEND=noninteractive', program];
}

/** MariaDB from the distribution's packages. Returns the path of its server. */
export async function installMariadb(apt: readonly string[], env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<string> {
  say(`no database here: installing ${PACKAGES.join(' and ')} by apt-get`);
  await runApt(apt, ['update'], env, say);
  await runApt(apt, ['install', '-y', '--no-install-recommends', ...PACKAGES], env, say);
  const program = await findMariadb(env);
  if (program === undefined) throw breakdown('InstallIncomplete', `${PACKAGES.join(' and ')} are installed, but there is no mariadbd`);
  return program;
}

async function runApt(apt: readonly string[], args: readonly string[], env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<void> {
  const [program = 'apt-get', ...before] = apt;
  const onWait = (seconds: number): void => say(`apt-get ${args[0] ?? ''}: ${seconds} s`);
  await run(program, [...before, ...args], { withinMs: WITHIN_MS, env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, onWait });
}
