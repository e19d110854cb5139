import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalRelay } from '@connector/platform/wake/local-relay';
import { freePort } from '@connector/platform/engine/free-port';
import { type Exit, ServiceProcess } from './service-process';

/** A service in three lines: ready at once; what it does else is the test's. */
const SERVE = `require('node:http').createServer((q, r) => r.writeHead(200).end()).listen(Number(process.env.PORT), '127.0.0.1');`;

let dir: string;
let port: number;
let told: string[];
let exits: Exit[];
let launches: number;
let running: ServiceProcess[];

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'service-'));
  port = await freePort(46_000 + Number(process.env['JEST_WORKER_ID'] ?? 1) * 50);
  [told, exits, running, launches] = [[], [], [], 0];
});
afterEach(async () => {
  await Promise.all(running.map((service) => service.stop(2_000)));
  rmSync(dir, { recursive: true });
});

function service(source: string, signal?: (launch: number) => void): ServiceProcess {
  const program = join(dir, 'program.js');
  writeFileSync(program, source);
  const made = new ServiceProcess({
    name: 'ingress',
    url: `http://127.0.0.1:${port}`,
    logFile: join(dir, 'logs', 'ingress.log'),
    execArgv: [],
    relay: new LocalRelay(),
    launch: async () => {
      launches += 1;
      signal?.(launches);
      return { program, generation: `gen_${launches}`, env: { PATH: process.env['PATH'], PORT: String(port), LAUNCH: String(launches) } };
    },
    started: () => undefined,
    ended: async (_launch, exit) => void exits.push(exit),
    tell: (line) => void told.push(line),
  });
  running.push(made);
  return made;
}

/** Looks at the processes themselves: there is no other sign of what they do. */
async function until(what: () => boolean): Promise<void> {
  for (let looks = 0; !what(); looks += 1) {
    if (looks > 500) throw new Error(`did not happen: ${what.toString()} ${told.join('; ')}`);
    await readSoon();
  }
}
/** Never by a look at its own port: that would be taken when the service wants it. */
const readSoon = (): Promise<unknown> => fetch(`http://127.0.0.1:${port}/`).catch(() => freePort(port + 25));

describe('service process', () => {
  it('ready: when its own readiness says so, and its lines go to its log', async () => {
    const made = service(`${SERVE} console.log('a line');`);
    made.start();
    await until(() => made.state === 'ready');
    expect(made).toMatchObject({ generation: 'gen_1', restarts: 0 });
    await made.stop(2_000);
    expect(made.state).toBe('stopped');
    expect(readFileSync(join(dir, 'logs', 'ingress.log'), 'utf8')).toBe('a line\n');
  });

  it('started again: after a crash, under another generation, and its end was reported first', async () => {
    const made = service(SERVE);
    made.start();
    await until(() => made.state === 'ready');
    const pid = made.pid;
    expect(made.kill('SIGKILL')).toBe(true);
    await until(() => made.state === 'ready' && made.pid !== pid);
    expect(exits).toEqual([{ code: null, signal: 'SIGKILL' }]);
    expect(made).toMatchObject({ generation: 'gen_2', restarts: 1 });
  });

  it('left alone: a service that cannot run as it is configured, until it is started by hand', async () => {
    const made = service(`process.env.LAUNCH === '1' ? process.exit(78) : (${JSON.stringify(SERVE)}, eval(${JSON.stringify(SERVE)}))`);
    made.start();
    await until(() => made.state === 'failed');
    expect(launches).toBe(1);
    made.restart('SIGTERM');
    await until(() => made.state === 'ready');
    expect(launches).toBe(2);
  });

  it('ended: a service that does not listen to SIGTERM is killed when its time is up', async () => {
    const made = service(`process.on('SIGTERM', () => undefined); ${SERVE}`);
    made.start();
    await until(() => made.state === 'ready');
    await made.stop(200);
    expect(exits).toEqual([{ code: null, signal: 'SIGKILL' }]);
  });
});
