import { DefectFault, InputFault, RetryableFault, UndeterminedFault } from '@connector/kernel/faults';
import { Log } from '../telemetry/log';
import { Telemetry } from '../telemetry/metrics';
import { Loop, type LoopSpec } from './loop';
import { Signal } from './signal';

const lines: string[] = [];
const log = new Log({ service: 't', generation: 'g', level: 'debug', destination: { write: (line) => void lines.push(line) } });

function loopOf(once: LoopSpec['once'], extra: Partial<LoopSpec> = {}, random = 0) {
  const telemetry = new Telemetry({ service: 't', version: '0' });
  const defects: string[] = [];
  const onDefect = (name: string): void => void defects.push(name);
  const loop = new Loop({ name: 'claim', pollMs: 1_000, once, ...extra }, { log, telemetry, onDefect, random: () => random });
  return { loop, telemetry, defects };
}

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
afterEach(() => void jest.useRealTimers());
const pass = (ms: number): Promise<unknown> => jest.advanceTimersByTimeAsync(ms);
/** Lets everything that waits for no timer happen. */
async function turns(count = 20): Promise<void> {
  for (let each = 0; each < count; each++) await new Promise((resolve) => setImmediate(resolve));
}

describe('loop', () => {
  it('worked: looks again at once, until there is nothing left', async () => {
    let left = 5;
    const once = jest.fn(() => Promise.resolve(left-- > 0 ? ('worked' as const) : ('idle' as const)));
    const { loop } = loopOf(once);
    loop.start();
    loop.start();
    await turns();
    expect(once).toHaveBeenCalledTimes(6);
    await loop.stop();
  });

  it('idle: looks again after pollMs by itself, with jitter only downwards', async () => {
    const once = jest.fn(() => Promise.resolve('idle' as const));
    const { loop } = loopOf(once, {}, 0.8);
    loop.start();
    await pass(799);
    expect(once).toHaveBeenCalledTimes(1);
    await pass(1);
    expect(once).toHaveBeenCalledTimes(2);
    await loop.stop();
  });

  it('led: a look knows whether its own poll, a hint or work that was done led to it', async () => {
    const wake = new Signal();
    const led: string[] = [];
    const answers = ['idle', 'worked', 'idle', 'idle', 'idle'] as const;
    const { loop } = loopOf((_, how) => Promise.resolve(answers[led.push(how) - 1] ?? 'idle'), { wake });
    loop.start();
    await turns();
    wake.notify();
    await turns();
    wake.poke();
    await turns();
    await pass(1_000);
    wake.poke();
    wake.notify();
    await turns();
    expect(led).toEqual(['poll', 'wake', 'work', 'work', 'poll', 'work', 'wake']);
    await loop.stop();
  });

  it('woken: a wake ends the wait, also one that came during the run', async () => {
    const wake = new Signal();
    const once = jest.fn(() => {
      if (once.mock.calls.length === 1) wake.notify();
      return Promise.resolve('idle' as const);
    });
    const { loop } = loopOf(once, { wake });
    loop.start();
    await turns();
    expect(once).toHaveBeenCalledTimes(2);
    wake.notify();
    await turns();
    expect(once).toHaveBeenCalledTimes(3);
    await loop.stop();
  });

  it.each([new RetryableFault('HOUSE:t:R', 'r'), new UndeterminedFault('HOUSE:t:U', 'u')])(
    'retried: %s backs off up to the cap, deaf to wakes, and looks again',
    async (fault) => {
      const wake = new Signal();
      const once = jest.fn(() => Promise.reject(fault));
      const { loop, defects } = loopOf(once, { wake }, 1);
      loop.start();
      await pass(0);
      wake.notify();
      await pass(99);
      expect(once).toHaveBeenCalledTimes(1);
      for (const ms of [1, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]) await pass(ms);
      expect(once).toHaveBeenCalledTimes(9);
      expect(defects).toEqual([]);
      expect(loop.state().ok).toBe(true);
      await loop.stop();
    },
  );

  it.each([new DefectFault('HOUSE:t:D', 'd'), new InputFault('HOUSE:t:I', 'i'), new TypeError('t')])(
    'ended: %s stops the loop, fails readiness and is told once',
    async (thrown) => {
      const once = jest.fn(() => Promise.reject(thrown));
      const { loop, defects } = loopOf(once);
      loop.start();
      await pass(60_000);
      expect(once).toHaveBeenCalledTimes(1);
      expect(defects).toEqual(['claim']);
      expect(loop.state().ok).toBe(false);
      await loop.stop();
    },
  );

  it('awaited: stop tells the run to stop and resolves only when it ended', async () => {
    let finish: (answer: 'worked') => void = () => undefined;
    let seen: AbortSignal | undefined;
    const once = jest.fn((signal: AbortSignal) => {
      seen = signal;
      return new Promise<'worked'>((resolve) => (finish = resolve));
    });
    const { loop } = loopOf(once);
    loop.start();
    await turns();
    let stopped = false;
    const stopping = loop.stop().then(() => (stopped = true));
    await turns();
    expect(seen?.aborted).toBe(true);
    expect(stopped).toBe(false);
    finish('worked');
    await stopping;
    expect(once).toHaveBeenCalledTimes(1);
  });

  it('unready: a run that hangs shows in the heartbeat', async () => {
    const { loop } = loopOf(() => new Promise(() => undefined), { stuckMs: 5_000 });
    loop.start();
    await pass(5_000);
    expect(loop.state()).toEqual({ ok: true, beatMs: 5_000 });
    await pass(1);
    expect(loop.state().ok).toBe(false);
  });

  it('counted: runs stand by answer', async () => {
    const { loop, telemetry } = loopOf(() => Promise.resolve('idle'));
    loop.start();
    await turns();
    await loop.stop();
    expect(await telemetry.expose()).toContain('connector_loop_runs_total{loop="claim",answer="idle"} 1');
  });
});
