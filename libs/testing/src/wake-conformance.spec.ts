import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { LocalRelay } from '@connector/platform/wake/local-relay';
import { LocalWake } from '@connector/platform/wake/local-wake';
import { SilentWake } from '@connector/platform/wake/silent-wake';
import type { WakeCounter } from '@connector/platform/wake/wake';
import { ipcChannel, type WakeChannel } from '@connector/platform/wake/wake-channel';
import { wakeConformance } from './wake-conformance';

class Counter implements WakeCounter {
  readonly counts = { emitted: 0, received: 0, dropped: 0, faults: 0 };
  wake(kind: 'emitted' | 'received' | 'dropped', count = 1): void {
    this.counts[kind] += count;
  }
  fault(): void {
    this.counts.faults += 1;
  }
}

/** Two joined ends; what is sent arrives one turn later as a JSON copy, as over a real child-process channel. */
function wire() {
  const toChild = new EventEmitter();
  const toParent = new EventEmitter();
  const state = { connected: true, frozen: false, sent: 0 };
  const held: (() => void)[] = [];
  const end = (own: EventEmitter, peer: EventEmitter): WakeChannel => ({
    get connected() {
      return state.connected;
    },
    send(message, sent) {
      state.sent += 1;
      const copy: unknown = JSON.parse(JSON.stringify(message));
      const arrive = (): void => {
        peer.emit('message', copy);
        sent();
      };
      if (state.frozen) held.push(arrive);
      else setImmediate(arrive);
    },
    listen(receive) {
      own.on('message', receive);
      return () => void own.off('message', receive);
    },
  });
  return { child: end(toChild, toParent), parent: end(toParent, toChild), toChild, state, held };
}

const settle = async (): Promise<void> => {
  for (let turns = 0; turns < 200; turns++) await turn();
};

wakeConformance('local', () => {
  const relay = new LocalRelay();
  const sender = wire();
  const receiver = wire();
  relay.attach(sender.parent);
  relay.attach(receiver.parent);
  return {
    sender: new LocalWake(sender.child, new Counter()),
    receiver: new LocalWake(receiver.child, new Counter()),
    inject: (message) => void receiver.toChild.emit('message', message),
    settle,
    delivers: true,
  };
});

wakeConformance('silent', () => ({
  sender: new SilentWake(),
  receiver: new SilentWake(),
  inject: () => undefined,
  settle,
  delivers: false,
}));

describe('local wake', () => {
  it('one in flight: a supervisor that does not read holds one message, and the rest collapses into the next', async () => {
    const { child, state, held } = wire();
    const counter = new Counter();
    const wake = new LocalWake(child, counter);
    state.frozen = true;
    for (let round = 0; round < 100; round++) {
      wake.emit({ stage: 'claim', account: `a/${round % 3}` });
      await turn();
    }
    expect(state.sent).toBe(1);
    held.splice(0).forEach((arrive) => arrive());
    await settle();
    expect(state.sent).toBe(2);
    expect(counter.counts).toMatchObject({ emitted: 100, dropped: 0 });
  });

  it('dropped: without a supervisor every hint is lost and counted', () => {
    const { child, state } = wire();
    const counter = new Counter();
    state.connected = false;
    new LocalWake(child, counter).emit({ stage: 'claim', account: 'a/1' });
    expect(counter.counts).toMatchObject({ emitted: 0, dropped: 1 });
  });

  it('counted: a handler that throws is a fault of the receiving service', async () => {
    const relay = new LocalRelay();
    const { child, parent } = wire();
    relay.attach(parent);
    const counter = new Counter();
    const wake = new LocalWake(child, counter);
    wake.subscribe(['claim'], () => {
      throw new Error('a bad handler');
    });
    await settle();
    wake.emit({ stage: 'claim', account: 'a/1' });
    await settle();
    expect(counter.counts).toMatchObject({ received: 1, faults: 1 });
  });

  it('forgotten: a detached child gets nothing more', async () => {
    const relay = new LocalRelay();
    const { child, parent } = wire();
    const detach = relay.attach(parent);
    const counter = new Counter();
    const wake = new LocalWake(child, counter);
    wake.subscribe(['claim'], () => undefined);
    await settle();
    detach();
    wake.emit({ stage: 'claim', account: 'a/1' });
    await settle();
    expect(counter.counts.received).toBe(0);
  });

  it('spared: the relay sends a child nothing that it did not subscribe to', async () => {
    const relay = new LocalRelay();
    const [one, other] = [wire(), wire()];
    relay.attach(one.parent);
    relay.attach(other.parent);
    new LocalWake(one.child, new Counter()).emit({ stage: 'claim', account: 'a/1' });
    await settle();
    expect([one.state.sent, other.state.sent]).toEqual([1, 0]);
  });

  it('late: a hint that was received and not yet handed over is nothing after close', async () => {
    const { child, toChild } = wire();
    const counter = new Counter();
    const wake = new LocalWake(child, counter);
    wake.subscribe(['claim'], () => undefined);
    toChild.emit('message', { type: 'wake', hints: [{ stage: 'claim', account: 'a/1' }] });
    await wake.close();
    await settle();
    expect(counter.counts.received).toBe(0);
  });

  it('lost: a channel that closes between the look and the send throws nothing at the emitter', () => {
    const end = Object.assign(new EventEmitter(), {
      connected: true,
      send: (): boolean => {
        throw new Error('ERR_IPC_CHANNEL_CLOSED');
      },
    });
    const sent = jest.fn();
    ipcChannel(end).send({}, sent);
    expect(sent).toHaveBeenCalledTimes(1);
  });
});
