import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');
const built = (file: string): string => JSON.stringify(join(ROOT, 'dist/libs', file));
/** The Runtime that is shipped, with one handler of this test: it ends its own process over one input, in the middle of the run. */
const MAIN = (story: string): string => `
const { appendFileSync } = require('node:fs');
const handler = {
  id: 'dev.example.workbench/contact-opens-ticket',
  version: '1',
  reasons: [],
  wants: () => [],
  answer: ({ input }) => {
    appendFileSync(${JSON.stringify(story)}, input.externalId + '\\n');
    if (input.externalId === 'deadly') process.kill(process.pid, 'SIGKILL');
    return { outcome: 'applied', changes: [], commands: [] };
  },
};
const { runtimeWith } = require(${built('services/runtime/src/runtime.service.js')});
require(${built('platform/src/host/main.js')}).main(runtimeWith([handler]));
`;

/** A Runtime in a process of its own, which ends by itself and is started again by the test. */
export class DeadlyRuntime {
  readonly #dir: string;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  /** Where it listens now. */
  url = 'http://127.0.0.1:1';

  private constructor(dir: string, env: NodeJS.ProcessEnv) {
    this.#dir = dir;
    this.#env = env;
  }

  /** With its program in this folder, and told this. */
  static async in(dir: string, env: NodeJS.ProcessEnv): Promise<DeadlyRuntime> {
    await writeFile(join(dir, 'story'), '');
    await writeFile(join(dir, 'main.cjs'), MAIN(join(dir, 'story')));
    return new DeadlyRuntime(dir, { ...env, PATH: process.env['PATH'] });
  }

  /** Resolves when it serves. */
  async start(): Promise<void> {
    const child = fork(join(this.#dir, 'main.cjs'), [], { cwd: ROOT, silent: true, env: this.#env });
    this.#child = child;
    this.#ended = once(child, 'exit');
    let output = '';
    const port = await new Promise<string>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on('data', (chunk: Buffer) => {
          output += chunk.toString('utf8');
          const ready = /"port":(\d+),"evt":"ready"/.exec(output);
          if (ready?.[1] !== undefined) resolve(ready[1]);
        });
      }
      child.once('exit', (code) => reject(new Error(`ended with ${code}:\n${output}`)));
    });
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Resolves when it has ended by itself. */
  async ended(): Promise<void> {
    await this.#ended;
  }

  /** The inputs that a handler was asked about, in order. */
  async story(): Promise<readonly string[]> {
    return (await readFile(join(this.#dir, 'story'), 'utf8')).split('\n').slice(0, -1);
  }

  async stop(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#ended;
  }
}
