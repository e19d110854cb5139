import { spawn } from 'node:child_process';
import { breakdown } from './engine';

const TAIL = 2_000;

export interface Run {
  readonly withinMs: number;
  readonly env?: NodeJS.ProcessEnv;
  /** Called every five seconds with the seconds so far. */
  readonly onWait?: (seconds: number) => void;
}

/** Runs a program to its end, without a shell. A failure carries the tail of what it printed. */
export async function run(program: string, args: readonly string[], options: Run): Promise<void> {
  const { code, output } = await ran(program, args, options);
  if (code !== 0)
    throw breakdown(
      'CommandFailed',
      `${[program, ...args].join(' ')}\nended with ${code ?? 'a signal or out of time'}:\n${output.slice(-TAIL)}`,
    );
}

/** Whether the program exists and ends well. */
export async function succeeds(program: string, args: readonly string[], options: Run): Promise<boolean> {
  const { code } = await ran(program, args, options);
  return code === 0;
}

/** What it printed, on either stream; what a program that does not start prints is why. */
export async function outputOf(program: string, args: readonly string[], options: Run): Promise<string> {
  return (await ran(program, args, options)).output;
}

interface Ran {
  /** `null`: could not be started, was killed, or ran out of time. */
  readonly code: number | null;
  readonly output: string;
}

function ran(program: string, args: readonly string[], options: Run): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env: options.env ?? process.env, stdio: ['ignore', 'pipe', 'pipe'], timeout: options.withinMs });
    const began = Date.now();
    const ticker = setInterval(() => options.onWait?.(Math.round((Date.now() - began) / 1000)), 5_000);
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-2 * TAIL);
    };
    const end = (code: number | null): void => {
      clearInterval(ticker);
      resolve({ code, output });
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => {
      keep(Buffer.from(error.message));
      end(null);
    });
    child.once('close', end);
  });
}
