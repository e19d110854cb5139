import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { runCli } from '@connector/services/cli/src/program';
import type { CliIo } from '@connector/services/cli/src/io';

/** The checkout, from the sources as from what is built of them. */
function rootAbove(dir: string): string {
  const above = dirname(dir);
  return existsSync(join(dir, 'nx.json')) || above === dir ? dir : rootAbove(above);
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1) return false;
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    // Somebody else's process has the number: it lives, it is only not ours to signal.
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
}

const io: CliIo = {
  env: process.env,
  root: rootAbove(__dirname),
  user: userInfo().username,
  interactive: process.stdin.isTTY === true && process.stderr.isTTY === true,
  color: process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined,
  now: () => Date.now(),
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  ask,
  isAlive,
};

process.once('SIGINT', () => {
  process.stderr.write('\ninterrupted; what was asked for goes on where it runs\n');
  process.exit(130);
});
// A pipe that closed (head, less) ends the command quietly.
process.stdout.on('error', () => process.exit(0));

runCli(process.argv.slice(2), io).then(
  (code) => {
    process.exitCode = code;
  },
  (thrown: unknown) => {
    process.stderr.write(`${String(thrown)}\n`);
    process.exitCode = 1;
  },
);
