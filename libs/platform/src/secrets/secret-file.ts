import { constants } from 'node:fs';
import { lstat, open, type FileHandle } from 'node:fs/promises';
import { RetryableFault } from '@connector/kernel/faults';
import { SECRET_BYTES_MAX, SecretAbsent, SecretRefused } from './secret-backend';

/** Without O_NONBLOCK the open of a pipe that somebody put there would wait for ever. */
const OPEN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const MODES: readonly number[] = [0o600, 0o400];
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Reads one file that must be a secret of ours: a plain file of mode 0600 or 0400, owned by this user, at most 64 KiB, no link.
 * Faults name the rule and never the content.
 */
export async function readSecretFile(path: string): Promise<Buffer> {
  const file = await open(path, OPEN).catch((thrown: unknown) => refuse(path, thrown));
  try {
    const size = await checkedSize(file, path);
    return await readWhole(file, size, path);
  } finally {
    await file.close();
  }
}

/** Throws unless `path` is a real directory of ours that nobody else can change: what cannot be changed cannot be swapped between look and open. */
export async function checkSecretDirectory(path: string): Promise<void> {
  const stat = await lstat(path).catch((thrown: unknown) => refuse(path, thrown));
  if (!stat.isDirectory()) throw new SecretRefused('HOUSE:secrets:NotPlain', `${path} is a link or no directory`);
  if (stat.uid !== process.geteuid?.()) throw new SecretRefused('HOUSE:secrets:Owner', `${path} belongs to another user`);
  if ((stat.mode & WRITABLE_BY_OTHERS) !== 0) throw new SecretRefused('HOUSE:secrets:Exposed', `${path} can be written by others`);
}

async function checkedSize(file: FileHandle, path: string): Promise<number> {
  const stat = await file.stat();
  if (!stat.isFile()) throw new SecretRefused('HOUSE:secrets:NotPlain', `${path} is no plain file`);
  if (stat.uid !== process.geteuid?.()) throw new SecretRefused('HOUSE:secrets:Owner', `${path} belongs to another user`);
  if (!MODES.includes(stat.mode & 0o7777)) throw new SecretRefused('HOUSE:secrets:Exposed', `${path} must have mode 0600 or 0400`);
  if (stat.size > SECRET_BYTES_MAX) throw new SecretRefused('HOUSE:secrets:TooLarge', `${path} is larger than ${SECRET_BYTES_MAX} bytes`);
  return stat.size;
}

/** Never from the shared buffer pool: zeroing must reach every byte, and no neighbour may see them. */
async function readWhole(file: FileHandle, size: number, path: string): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  let held = 0;
  while (held < size) {
    const { bytesRead } = await file.read(bytes, held, size - held, held);
    if (bytesRead === 0) break;
    held += bytesRead;
  }
  if (held === size) return bytes;
  bytes.fill(0);
  throw new RetryableFault('HOUSE:secrets:Changing', `${path} shrank while it was read`);
}

function refuse(path: string, thrown: unknown): never {
  const errno = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : 'unknown';
  if (errno === 'ENOENT' || errno === 'ENOTDIR') throw new SecretAbsent('HOUSE:secrets:VersionAbsent', `${path} does not exist`);
  if (errno === 'ELOOP') throw new SecretRefused('HOUSE:secrets:NotPlain', `${path} is a link`);
  throw new RetryableFault('HOUSE:secrets:Unreadable', `${path} could not be read: ${errno}`, { cause: thrown });
}
