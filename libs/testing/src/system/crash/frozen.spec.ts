import { FROZEN_MS_MAX, frozen } from './frozen';

const signals: NodeJS.Signals[] = [];
const local = { supervisor: { kill: (_name: string, signal: NodeJS.Signals) => signals.push(signal) > 0 } };

beforeEach(() => {
  signals.length = 0;
  jest.useFakeTimers();
});
afterEach(() => jest.useRealTimers());

describe('frozen', () => {
  it('stopped: while the act is done, and no longer, also where it fails', async () => {
    const seen: string[][] = [];
    const act = () => Promise.reject(new Error(String(seen.push([...signals]))));
    await expect(frozen(local, 'runtime', act)).rejects.toThrow('1');
    expect([seen, signals, jest.getTimerCount()]).toEqual([[['SIGSTOP']], ['SIGSTOP', 'SIGCONT'], 0]);
  });

  it('continued: where the act waits for what the stopped process holds', async () => {
    let go = (): void => undefined;
    const done = frozen(local, 'runtime', () => new Promise((resolve) => (go = resolve)));
    jest.advanceTimersByTime(FROZEN_MS_MAX);
    expect(signals).toEqual(['SIGSTOP', 'SIGCONT']);
    go();
    await done;
  });
});
