import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalRelay } from '../wake/local-relay';
import { ipcChannel } from '../wake/wake-channel';

const ROOT = join(__dirname, '../../../..');
/** Runs TypeScript as it stands: the transform of the tests, and the path names. */
const HOOK = `
const { transformFileSync } = require(${JSON.stringify(join(ROOT, 'node_modules/@swc/core'))});
const Module = require('node:module'), resolve = Module._resolveFilename, lib = /^@connector\\/([^/]+)\\/(.*)$/;
Module._resolveFilename = (name, ...rest) => resolve(name.replace(lib, ${JSON.stringify(join(ROOT, 'libs'))} + '/$1/src/$2'), ...rest);
Module._extensions['.ts'] = (module, file) => module._compile(transformFileSync(file, { swcrc: true, configFile: ${JSON.stringify(join(ROOT, '.swcrc'))} }).code, file);
`;
const MAIN = (once: string): string => `
require('reflect-metadata');
const { main } = require(${JSON.stringify(join(__dirname, 'main.ts'))});
const { ServiceConfig } = require(${JSON.stringify(join(__dirname, 'config.ts'))});
const { DefectFault } = require('@connector/kernel/faults.ts');
const say = (text) => { console.log(text); console.error(text); require('node:fs').appendFileSync(${JSON.stringify(join(dir, 'story'))}, text + '\\n'); };
class Empty {}
Reflect.decorate([require('@nestjs/common').Module({})], Empty);
const build = async (host) => {
  host.onDrain('queue', async () => say('queue drained'));
  host.wake.subscribe(['claim'], ({ account }) => console.log('woken by ' + account));
  return { module: Empty, loops: [{ name: 'claim', pollMs: 50, once: ${once} }] };
};
main({ name: 'runtime', defaultPort: 0, roles: [], Config: ServiceConfig, callers: [], build });
`;
const HOLDING = `(signal) => new Promise((resolve) => signal.addEventListener('abort', () => setTimeout(() => { say('run finished'); resolve('idle'); }, 200)))`;

let dir: string;
let child: ChildProcess | undefined;
let output: string;

const story = (): string => readFileSync(join(dir, 'story'), 'utf8');

/** Started as a supervisor does, with a channel and pipes. */
function start(run: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
  writeFileSync(join(dir, 'hook.cjs'), HOOK);
  writeFileSync(join(dir, 'main.cjs'), MAIN(run));
  const cwd = ROOT;
  const execArgv = ['-r', join(dir, 'hook.cjs')];
  const whole = {
    PATH: process.env['PATH'],
    NODE_PATH: join(ROOT, 'node_modules'),
    CONNECTOR_SECRETS_DIR: dir,
    CONNECTOR_PORT: '0',
    ...env,
  };
  const started = fork(join(dir, 'main.cjs'), [], { cwd, execArgv, silent: true, env: whole });
  for (const stream of [started.stdout, started.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  return (child = started);
}

/** Resolves when the output holds `text`; fails with all of it when the process ends before. */
function said(started: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => (output.includes(text) ? resolve() : undefined);
    started.stdout?.on('data', look);
    started.once('exit', (code) => reject(new Error(`ended with ${code}:\n${output}`)));
    look();
  });
}

beforeEach(() => {
  output = '';
  dir = mkdtempSync(join(tmpdir(), 'boot-'));
});
afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(dir, { recursive: true });
});

describe('a service process', () => {
  it('exit 0: SIGTERM lets the run finish and the queue drain, and a second signal does not break it', async () => {
    const started = start(HOLDING);
    await said(started, '"evt":"ready"');
    started.kill('SIGTERM');
    await said(started, '"evt":"draining"');
    started.kill('SIGTERM');
    started.kill('SIGINT');
    expect(await once(started, 'close')).toEqual([0, null]);
    expect(story()).toBe('run finished\nqueue drained\n');
    expect(output).toContain('"evt":"ended"');
  });

  it('exit 0: a service whose supervisor went away, pipes and all, drains and ends', async () => {
    const started = start(HOLDING);
    await said(started, '"evt":"ready"');
    started.stdout?.destroy();
    started.stderr?.destroy();
    started.disconnect();
    expect(await once(started, 'exit')).toEqual([0, null]);
    expect(story()).toBe('run finished\nqueue drained\n');
  });

  it('exit 1: a defect in a loop is logged with its code and ends the process', async () => {
    const started = start(`async () => { throw new DefectFault('HOUSE:t:Wrong', 'it is wrong'); }`);
    expect(await once(started, 'close')).toEqual([1, null]);
    expect(output).toContain('"code":"HOUSE:t:Wrong"');
  });

  it('woken: a hint goes to the supervisor over the real channel and comes back to who subscribed', async () => {
    const run = `async () => { host.wake.emit({ stage: 'claim', account: 'a/1' }); return 'idle'; }`;
    const started = start(run, { CONNECTOR_WAKE: 'local' });
    new LocalRelay().attach(ipcChannel(started));
    await said(started, 'woken by a/1');
  });

  it('exit 78: a configuration with faults lists them all and starts nothing', async () => {
    const started = start(HOLDING, { CONNECTOR_PORT: 'x', CONNECTOR_WAKES: 'planted-canary', CONNECTOR_HOST: 'y' });
    expect(await once(started, 'close')).toEqual([78, null]);
    expect(output).toMatch(
      /^runtime cannot start: HOUSE:config:Invalid\nCONNECTOR_PORT: .*\nCONNECTOR_HOST: .*\nCONNECTOR_WAKES: .*CONNECTOR_WAKE\?\n$/,
    );
  });
});
