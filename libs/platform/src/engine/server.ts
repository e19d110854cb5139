import { mkdir } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { EngineOptions, Login } from './engine';
import { readIfThere, writePrivately } from './files';

/** Where an engine of our own keeps its things. */
export interface Home {
  readonly dataDir: string;
  /** Of the `root` user, known to this user alone. */
  readonly password: string;
  readonly say: (line: string) => void;
  readonly env: NodeJS.ProcessEnv;
}

/** A server program that we know how to start in a folder of its own. */
export interface Server {
  readonly kind: 'mariadb' | 'tidb';
  readonly title: string;
  readonly program: string;
  readonly source: string;
  readonly warnings: readonly string[];
  /** The argument that names the data folder: by it a running server is known as ours. */
  readonly dataArgument: string;
  /** Makes the data folder where there is none; safe to repeat after being killed at any point. */
  prepare(home: Home): Promise<void>;
  argumentsFor(home: Home, port: number): readonly string[];
  /** Once it answers: what must be set from within. */
  settle(home: Home, login: Login): Promise<void>;
  /** The login under which it is first known to answer. */
  firstLogin(home: Home, login: Login): Promise<boolean>;
}

/** The folder and the password are for this user only: the port is open to everybody on the machine. */
export async function openHome(options: EngineOptions): Promise<Home> {
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const say = options.onProgress ?? (() => undefined);
  return { dataDir: options.dataDir, password: await passwordIn(options.dataDir), say, env: options.env };
}

async function passwordIn(dataDir: string): Promise<string> {
  const file = join(dataDir, 'root-password');
  const kept = (await readIfThere(file))?.trim();
  if (kept !== undefined && kept !== '') return kept;
  const minted = randomBytes(24).toString('base64url');
  await writePrivately(file, `${minted}\n`);
  return minted;
}
