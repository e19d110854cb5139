import { open } from 'node:fs/promises';
import { CliFailure, EXIT } from './exit';
import { membersOf } from './members';

const NOT_THERE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES']);

/** The bytes of a file that somebody named, at most one beyond `bytesMax`, so that whoever has the limit can say that it is over. */
export async function readGiven(path: string, bytesMax: number): Promise<Buffer> {
  const file = await open(path, 'r').catch((thrown: unknown) => {
    throw notThere(path, thrown);
  });
  try {
    const bytes = Buffer.alloc(Math.min(bytesMax + 1, (await file.stat()).size));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } catch (thrown) {
    throw notThere(path, thrown);
  } finally {
    await file.close();
  }
}

/** A failure of the command where the place is wrong; what was thrown otherwise. */
export function notThere(path: string, thrown: unknown): unknown {
  const code = String(membersOf(thrown)['code']);
  return NOT_THERE.has(code) ? new CliFailure(EXIT.notFound, [`${path} cannot be read: ${code}.`]) : thrown;
}
