import { EventEmitter } from 'node:events';
import { Log } from '../telemetry/log';
import { Health } from './health';
import { InFlight } from './in-flight';
import { type HostProcess, quietProcess } from './process';
import { Shutdown, type ShutdownPlan, type Step } from './shutdown';

const lines: string[] = [];
const log = new Log({ service: 't', generation: 'g', level: 'info', destination: { write: (line) => void lines.push(line) } });
const never: Step = { name: 'never', run: () => new Promise(() => undefined) };

function shutdownOf(plan: Partial<ShutdownPlan>, connected = true) {
  const events = new EventEmitter();
  const codes: number[] = [];
  const quiet = quietProcess({}, (code) => void codes.push(code));
  const channel = { ...quiet.channel, connected };
  const on: HostProcess['on'] = (event, run) => void events.on(event, run);
  const proc: HostProcess = { ...quiet, supervised: true, channel, on };
  const health = new Health();
  health.markStarted();
  const none = (): readonly Step[] => [];
  const shutdown = new Shutdown({ health, log, proc, drainMs: 1_000, quiesce: none, drains: none, closes: none, ...plan });
  return { shutdown, events, codes, health };
}

beforeEach(() => {
  lines.length = 0;
  jest.useFakeTimers();
});
afterEach(() => void jest.useRealTimers());

describe('shutdown', () => {
  it.each(['SIGTERM', 'SIGINT', 'disconnect'])(
    'exit 0: %s makes unready at once, drains and ends; a second one changes nothing',
    async (event) => {
      const ran: string[] = [];
      const step = (name: string): Step => ({ name, run: () => Promise.resolve(ran.push(name)) });
      const { shutdown, events, codes, health } = shutdownOf({
        quiesce: () => [step('loop')],
        drains: () => [step('queue')],
        closes: () => [step('server'), step('pool')],
      });
      shutdown.attach();
      events.emit(event);
      expect(await health.readiness()).toMatchObject({ ready: false, draining: true });
      events.emit(event);
      events.emit('SIGTERM');
      await jest.runAllTimersAsync();
      expect([ran, codes]).toEqual([['loop', 'queue', 'server', 'pool'], [0]]);
    },
  );

  it('bounded: a loop and a drain that hang are passed over, and the rest still runs', async () => {
    const closed = jest.fn(() => Promise.resolve());
    const { shutdown, codes } = shutdownOf({
      quiesce: () => [never],
      drains: () => [never],
      closes: () => [never, { name: 'pool', run: closed }],
    });
    const ended = shutdown.begin('asked');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(closed).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(3_010);
    await ended;
    expect(closed).toHaveBeenCalledTimes(1);
    expect(codes).toEqual([0]);
  });

  it('passed over: a step that throws does not keep the others from running', async () => {
    const closed = jest.fn(() => Promise.resolve());
    const bad: Step = {
      name: 'bad',
      run: () => {
        throw new Error('bad');
      },
    };
    const { shutdown } = shutdownOf({ quiesce: () => [bad], drains: () => [bad], closes: () => [bad, { name: 'pool', run: closed }] });
    await shutdown.begin('asked');
    expect(closed).toHaveBeenCalledTimes(1);
    expect(lines.filter((line) => line.includes('shutdown-step'))).toHaveLength(3);
  });

  it('exit 1: what nobody caught ends the process without a drain', () => {
    const { shutdown, events, codes } = shutdownOf({ quiesce: () => [never] });
    shutdown.attach();
    events.emit('unhandledRejection', new Error('boom'));
    expect(codes).toEqual([1]);
  });

  it('exit 1: a defect that comes while draining is not forgotten', async () => {
    const { shutdown, codes } = shutdownOf({});
    const ended = shutdown.begin('SIGTERM');
    void shutdown.begin('defect');
    await ended;
    expect(codes).toEqual([1]);
  });

  it('ended at once: a supervisor that went away during the boot is noticed', async () => {
    const { shutdown, codes } = shutdownOf({}, false);
    shutdown.attach();
    await jest.runAllTimersAsync();
    expect(codes).toEqual([0]);
  });
});

describe('requests in hand', () => {
  it('awaited: none() resolves when the last one left', async () => {
    const inFlight = new InFlight();
    await inFlight.none();
    inFlight.enter();
    inFlight.enter();
    let none = false;
    const waiting = inFlight.none().then(() => (none = true));
    inFlight.leave();
    await Promise.resolve();
    expect(none).toBe(false);
    inFlight.leave();
    await waiting;
    expect(none).toBe(true);
  });
});
