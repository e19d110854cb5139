import { randomUUID } from 'node:crypto';
import { access, constants, readFile, rename, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Debian puts servers there, and an ordinary user's PATH leaves it out. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** The first executable of one of these names, in the order of the names. */
export async function findProgram(names: readonly string[], env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const folders = [...(env['PATH'] ?? '').split(delimiter).filter(Boolean), ...SYSTEM_FOLDERS];
  for (const name of names) {
    for (const folder of folders) {
      const file = join(folder, name);
      if (await isExecutable(file)) return file;
    }
  }
  return undefined;
}

export function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** A reader sees the old text or the new one, never half of it. Readable by this user alone. */
export async function writePrivately(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
  await rename(draft, file);
}

/** `undefined` when there is no such file; any other trouble is thrown. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}

export function isErrno(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
