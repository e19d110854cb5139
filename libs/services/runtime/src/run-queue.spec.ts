import type { AccountName } from '@connector/kernel/brand';
import { Digest } from '@connector/kernel/digest';
import { EpochId } from '@connector/kernel/ids';
import { runtimeCommand } from '@connector/testing/fixtures/execution';
import { RunQueue, type Handed } from './run-queue';

const SERVED = {
  account: 'north/acme' as AccountName,
  accountPrefix: Buffer.from([1, 2, 3, 4]),
  fence: 7n as never,
  epochId: EpochId.mint(),
  epochDigest: Digest.sha256(Buffer.from('epoch')),
};
const command = (unanswered = 0): Handed => ({ command: runtimeCommand(SERVED, Buffer.from('"1234567"')), counted: true, unanswered });

/** A queue whose runs end when they are told to. */
function held(limits: { running: number; commands: number; bytes: number }) {
  const ends: (() => void)[] = [];
  const ran: Handed[] = [];
  const queue = new RunQueue((one) => {
    ran.push(one);
    return new Promise((resolve) => ends.push(resolve));
  }, limits);
  const release = async (): Promise<void> => {
    ends.shift()?.();
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  return { queue, ran, release };
}
const WIDE = { running: 2, commands: 10, bytes: 1_000 };

describe('run queue', () => {
  it('runs at most so many at once, the others in their order', async () => {
    const { queue, ran, release } = held(WIDE);
    const commands = Array.from({ length: 4 }, () => command());
    expect(commands.map((one) => queue.start(one))).toEqual(['started', 'started', 'started', 'started']);
    expect(ran).toEqual(commands.slice(0, 2));
    await release();
    expect(ran).toEqual(commands.slice(0, 3));
    await release();
    await release();
    await release();
    expect(ran).toEqual(commands);
    await queue.idle();
  });

  it('in-hand: the same command is not run beside itself, and may come again once it ended', async () => {
    const { queue, ran, release } = held(WIDE);
    const one = command();
    expect([queue.start(one), queue.start(one)]).toEqual(['started', 'in-hand']);
    await release();
    expect(queue.start(one)).toBe('started');
    expect(ran).toHaveLength(2);
    await release();
    await queue.idle();
  });

  it.each([
    { ...WIDE, commands: 3 },
    { ...WIDE, bytes: 29 },
  ])('full: by number and by bytes (%o)', async (limits) => {
    const { queue, release } = held(limits);
    const first = command();
    expect([first, command(), command(), command()].map((one) => queue.start(one))).toEqual(['started', 'started', 'started', 'full']);
    expect([queue.hasRoom(command().command), queue.hasRoom(first.command)]).toEqual([false, true]);
    await release();
    expect(queue.hasRoom(command().command)).toBe(true);
    await release();
    await release();
    await queue.idle();
  });

  it('alone: a command that a process ended with runs when nobody else does, and nobody begins beside it (PUB-EXE-09)', async () => {
    const { queue, ran, release } = held({ ...WIDE, running: 8 });
    const [before, suspect, behind, last] = [command(), command(1), command(), command()];
    for (const one of [before, suspect, behind, last]) queue.start(one);
    expect(ran).toEqual([before]);
    await release();
    expect(ran).toEqual([before, suspect]);
    await release();
    expect(ran).toEqual([before, suspect, behind, last]);
    await release();
    await release();
    await queue.idle();
  });

  it('a command that comes in the very turn in which the last one ended finds a worker', async () => {
    const { queue, ran, release } = held({ ...WIDE, running: 1 });
    queue.start(command());
    for (let round = 0; round < 20; round += 1) {
      const late = release();
      for (let turn = 0; turn < round % 5; turn += 1) await Promise.resolve();
      queue.start(command());
      await late;
      expect(ran.length).toBeGreaterThanOrEqual(round + 2);
    }
    await release();
    await queue.idle();
  });
});
