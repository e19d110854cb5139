import { open } from 'node:fs/promises';
import { CliFailure, EXIT, type ExitCode } from './exit';
import { membersOf } from './members';

/** What is wrong with the place, in words. */
const WRONG: ReadonlyMap<string, readonly [ExitCode, string]> = new Map([
  ['ENOENT', [EXIT.notFound, 'there is no such file']],
  ['ENOTDIR', [EXIT.notFound, 'a part of its path is no folder']],
  ['EISDIR', [EXIT.usage, 'it is a folder, and a file is expected']],
  ['ENAMETOOLONG', [EXIT.usage, 'the name is too long']],
  ['EACCES', [EXIT.notAllowed, 'you have no permission']],
]);
const CHUNK = 65_536;

/** The bytes of a file or a pipe that somebody named, at most one beyond `bytesMax`, so that whoever has the limit can say that it is over. */
export async function readGiven(path: string, bytesMax: number): Promise<Buffer> {
  const file = await open(path, 'r').catch((thrown: unknown) => {
    throw notThere(path, thrown);
  });
  try {
    const chunks: Buffer[] = [];
    for (let left = bytesMax + 1; left > 0;) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(left, CHUNK)), 0, null, null);
      if (bytesRead === 0) break;
      chunks.push(buffer.subarray(0, bytesRead));
      left -= bytesRead;
    }
    return Buffer.concat(chunks);
  } catch (thrown) {
    throw notThere(path, thrown);
  } finally {
    await file.close();
  }
}

/** A failure of the command where the place is wrong; what was thrown otherwise. */
export function notThere(path: string, thrown: unknown, act: 'read' | 'written' = 'read'): unknown {
  const code = String(membersOf(thrown)['code']);
  const [exit, why] = WRONG.get(code) ?? [];
  if (exit === undefined) return thrown;
  return new CliFailure(exit, [`${path} cannot be ${act}: ${code === 'ENOENT' && act === 'written' ? 'there is no such folder' : why}.`]);
}
