import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { GenerationId } from '@connector/kernel/ids';
import { endLeftovers, livingOf } from './living';

let child: ChildProcess;
const mine = GenerationId.mint();

beforeEach(async () => {
  const env = { PATH: process.env['PATH'], CONNECTOR_GENERATION: mine };
  child = spawn(process.execPath, ['-e', "process.stdout.write('up'); setInterval(() => undefined, 1000)"], { env });
  await once(child.stdout ?? child, 'data');
});
afterEach(() => void child.kill('SIGKILL'));

describe('leftovers', () => {
  it('found: the processes of the generations that are asked for, and no others', async () => {
    expect(await livingOf(new Set([mine]))).toEqual(new Map([[child.pid, mine]]));
    expect(await livingOf(new Set([GenerationId.mint()]))).toEqual(new Map());
  });

  it('ended: also a frozen one, and it is gone when this returns: only then may its end be told', async () => {
    child.kill('SIGSTOP');
    await endLeftovers([GenerationId.mint(), mine]);
    expect(await livingOf(new Set([mine]))).toEqual(new Map());
  });
});
