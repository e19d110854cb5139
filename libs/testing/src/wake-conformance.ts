import type { Hint, Wake } from '@connector/platform/wake/wake';

/** Two ends of one adapter, as two services hold them, and a way to put any message on the wire towards `receiver`. */
export interface WakePair {
  readonly sender: Wake;
  readonly receiver: Wake;
  /** What an enemy or another version may send. An adapter without a wire does nothing here. */
  inject(message: unknown): void;
  /** Resolves when nothing is under way any more. */
  settle(): Promise<void>;
  /** Whether hints arrive at all; `silent` delivers none. */
  readonly delivers: boolean;
}

const hint = (account: string, stage = 'claim'): Hint => ({ stage, account });

function heardBy(wake: Wake, stages: readonly string[] = ['claim']): Hint[] {
  const heard: Hint[] = [];
  wake.subscribe(stages, (each) => void heard.push(each));
  return heard;
}

/** What every adapter of the wake port must keep. */
export function wakeConformance(name: string, makePair: () => WakePair | Promise<WakePair>): void {
  describe(`wake port, ${name}`, () => {
    let pair: WakePair;
    beforeEach(async () => {
      pair = await makePair();
    });
    afterEach(() => Promise.all([pair.sender.close(), pair.receiver.close()]));
    const expected = (hints: readonly Hint[]): readonly Hint[] => (pair.delivers ? hints : []);

    it('heard: a hint reaches whoever subscribed to its stage, and nobody else', async () => {
      const claims = heardBy(pair.receiver, ['claim']);
      const sends = heardBy(pair.receiver, ['send', 'settle']);
      await pair.settle();
      pair.sender.emit(hint('north/acme'));
      pair.sender.emit(hint('north/acme', 'send'));
      pair.sender.emit(hint('north/acme', 'nobody'));
      await pair.settle();
      expect(claims).toEqual(expected([hint('north/acme')]));
      expect(sends).toEqual(expected([hint('north/acme', 'send')]));
    });

    it('collapsed: duplicates are one (stage, account), and a flood stays within bounds', async () => {
      const heard = heardBy(pair.receiver);
      await pair.settle();
      for (let round = 0; round < 1_000; round++) for (const account of ['a/1', 'a/2']) pair.sender.emit(hint(account));
      await pair.settle();
      expect(heard).toEqual(expected([hint('a/1'), hint('a/2')]));
      for (let each = 0; each < 20_000; each++) pair.sender.emit(hint(`flood/${each}`));
      await pair.settle();
      expect(heard.length).toBeLessThanOrEqual(2 + 4_096);
    });

    it('returned at once: emit runs no handler inside itself', async () => {
      const heard = heardBy(pair.receiver);
      await pair.settle();
      pair.sender.emit(hint('a/1'));
      expect(heard).toEqual([]);
    });

    it('ignored: an unknown message, and what is no object at all, reach no handler', async () => {
      const heard = heardBy(pair.receiver);
      await pair.settle();
      for (const message of [{ type: 'gossip' }, { hints: [hint('a/1')] }, null, 7, 'wake', [], { type: 'wake' }]) pair.inject(message);
      await pair.settle();
      expect(heard).toEqual([]);
    });

    it('dropped: hostile and oversized payloads harm neither the process nor the honest hints beside them', async () => {
      const heard = heardBy(pair.receiver);
      await pair.settle();
      const huge = Array.from({ length: 10_000 }, (_, each) => hint(`x/${each}`));
      const hostile = [{ stage: 'claim', account: 'a'.repeat(1_000) }, { stage: '__proto__', account: 'a/1' }, { stage: 'claim' }, 1, null];
      pair.inject({ type: 'wake', hints: [...hostile, { stage: 'claim', account: ' a\n' }, { stage: {}, account: [] }, hint('honest/1')] });
      pair.inject({ type: 'wake', hints: [{ stage: 'claim', account: 'a'.repeat(1_000_000) }] });
      pair.inject({ type: 'wake', hints: 'claim' });
      pair.inject({ type: 'wake', hints: { length: 5 } });
      pair.inject({ type: 'wake', hints: [{ ...hint('honest/2'), decide: 'everything' }] });
      await pair.settle();
      expect(heard).toEqual(expected([hint('honest/1'), hint('honest/2')]));
      pair.inject({ type: 'wake', hints: huge });
      await pair.settle();
      expect(heard.length).toBeLessThanOrEqual(2 + 256);
    });

    it('lost: what is emitted that is no hint goes nowhere and throws nothing', async () => {
      const heard = heardBy(pair.receiver);
      await pair.settle();
      expect(() => pair.sender.emit({ stage: 'claim', account: 'a'.repeat(200) })).not.toThrow();
      expect(() => pair.sender.emit(JSON.parse('null'))).not.toThrow();
      await pair.settle();
      expect(heard).toEqual([]);
    });

    it('harmless: a handler that throws silences no other', async () => {
      pair.receiver.subscribe(['claim'], () => {
        throw new Error('a bad handler');
      });
      const heard = heardBy(pair.receiver);
      await pair.settle();
      pair.sender.emit(hint('a/1'));
      await pair.settle();
      expect(heard).toEqual(expected([hint('a/1')]));
    });

    it('late: a hint that arrives after unsubscribing or closing is nothing', async () => {
      const heard: Hint[] = [];
      const unsubscribe = pair.receiver.subscribe(['claim'], (each) => void heard.push(each));
      await pair.settle();
      pair.sender.emit(hint('a/1'));
      unsubscribe();
      await pair.settle();
      await pair.receiver.close();
      pair.inject({ type: 'wake', hints: [hint('a/2')] });
      await pair.settle();
      expect(heard).toEqual([]);
    });

    it('closed: emit, subscribe and close after close throw nothing and do nothing', async () => {
      const heard = heardBy(pair.receiver);
      await pair.settle();
      await pair.sender.close();
      await pair.sender.close();
      expect(() => pair.sender.emit(hint('a/1'))).not.toThrow();
      expect(() => pair.sender.subscribe(['claim'], () => undefined)()).not.toThrow();
      await pair.settle();
      expect(heard).toEqual([]);
    });
  });
}
