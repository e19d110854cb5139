import { join } from 'node:path';
import type { CliIo } from '@connector/services/cli/src/io';
import { runCli } from '@connector/services/cli/src/program';

const ROOT = join(__dirname, '..', '..', '..');

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}
/** One line as a person types it, in this process: nobody answers a question unless `over` does. */
export async function ranIn(home: string, line: string, over: Partial<CliIo>): Promise<Ran> {
  const lines: { out: string[]; err: string[] } = { out: [], err: [] };
  const io: CliIo = {
    env: { CONNECTOR_HOME: home },
    root: ROOT,
    user: 'm.ortiz',
    interactive: false,
    color: false,
    now: () => Date.now(),
    out: (text) => void lines.out.push(text),
    err: (text) => void lines.err.push(text),
    ask: () => Promise.reject(new Error('nobody to ask')),
    isAlive: () => false,
    ...over,
  };
  const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
  const code = await runCli(args, io);
  return { code, out: lines.out.join('\n'), err: lines.err.join('\n') };
}
