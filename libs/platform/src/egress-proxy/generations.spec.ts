import { Socket } from 'node:net';
import { DefectFault } from '@connector/kernel/faults';
import { GenerationId } from '@connector/kernel/ids';
import { Generations, type Generation } from './generations';

const TOKEN = 'token-of-one-generation';

/** A socket whose kernel takes its time: it says that it is closed when the test says so. */
class SlowSocket extends Socket {
  asked = false;
  override destroy(): this {
    this.asked = true;
    return this;
  }
}

function admitted(): { generations: Generations; id: GenerationId; generation: Generation } {
  const generations = new Generations();
  const id = GenerationId.mint();
  generations.admit(TOKEN, id);
  const generation = generations.holderOf(TOKEN);
  if (generation === undefined) throw new Error('not admitted');
  return { generations, id, generation };
}

describe('generations', () => {
  it('withdraw resolves only when every socket says that it is closed, and has refused the token before', async () => {
    const { generations, id, generation } = admitted();
    const sockets = [new SlowSocket(), new SlowSocket()];
    for (const socket of sockets) generations.hold(generation, socket);
    let resolved = false;
    const done = generations.withdraw(id).then(() => (resolved = true));
    expect(generations.holderOf(TOKEN)).toBeUndefined();
    expect(sockets.map((socket) => socket.asked)).toEqual([true, true]);
    sockets[0]?.emit('close');
    await new Promise((resolve) => setImmediate(resolve));
    expect(resolved).toBe(false);
    sockets[1]?.emit('close');
    await done;
  });

  it('withdraw rejects when a socket stays open: no receipt may follow', async () => {
    jest.useFakeTimers();
    const { generations, id, generation } = admitted();
    generations.hold(generation, new SlowSocket());
    const done = expect(generations.withdraw(id)).rejects.toThrow(DefectFault);
    jest.advanceTimersByTime(5_000);
    await done;
    jest.useRealTimers();
  });

  it('hold destroys at once what comes after the withdrawal', async () => {
    const { generations, id, generation } = admitted();
    await generations.withdraw(id);
    const late = new SlowSocket();
    generations.hold(generation, late);
    expect(late.asked).toBe(true);
  });

  it('admit refuses a token of another generation and a short one', () => {
    const { generations, id } = admitted();
    generations.admit(TOKEN, id);
    expect(() => generations.admit(TOKEN, GenerationId.mint())).toThrow(DefectFault);
    expect(() => generations.admit('short', GenerationId.mint())).toThrow(DefectFault);
  });
});
