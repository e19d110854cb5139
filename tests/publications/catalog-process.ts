import { type ChildProcess, fork } from 'node:child_process';
import { createServer } from 'node:net';
import { programOf } from '@connector/services/local/src/layout';
import { isReady } from '@connector/services/local/src/ready';
import { until, when } from '@connector/testing/system/until';

/** The catalog as a process of its own, which kills itself at this point as `kill -9` does. */
export class CatalogProcess {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    readonly ended: Promise<NodeJS.Signals | null>,
  ) {}

  static async start(env: NodeJS.ProcessEnv, crash?: string): Promise<CatalogProcess> {
    const port = await freePort();
    const armed = crash === undefined ? {} : { CONNECTOR_CRASH: crash };
    const child = fork(programOf('catalog'), { env: { ...process.env, ...env, ...armed, CONNECTOR_PORT: String(port) }, silent: true });
    const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
    const url = `http://127.0.0.1:${port}`;
    await until('the catalog is ready', 20_000, async () => when(await isReady(url)));
    return new CatalogProcess(url, child, ended);
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
