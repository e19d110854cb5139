import { DefectFault, RetryableFault } from '@connector/kernel/faults';
import { BatchQueue } from './batch-queue';

const LIMITS = { items: 3, rows: 100, bytes: 1000, waiting: 5 };

function blocked() {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  return { gate, open };
}

describe('BatchQueue', () => {
  it('while one batch of a key is in flight the next one fills; callers get their own answer', async () => {
    const batches: string[][] = [];
    const first = blocked();
    const queue = new BatchQueue<string, string>(async (_key, items) => {
      batches.push([...items]);
      if (batches.length === 1) await first.gate;
      return items.map((item) => item.toUpperCase());
    }, LIMITS);
    const a = queue.submit('k', 'a');
    await Promise.resolve().then(() => undefined);
    const rest = ['b', 'c', 'd', 'e'].map((item) => queue.submit('k', item));
    first.open();
    expect(await Promise.all([a, ...rest])).toEqual(['A', 'B', 'C', 'D', 'E']);
    expect(batches).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
  });

  it('keys do not wait for each other', async () => {
    const slow = blocked();
    const queue = new BatchQueue<string, string>(async (key, items) => {
      if (key === 'slow') await slow.gate;
      return items;
    }, LIMITS);
    const waiting = queue.submit('slow', 's');
    expect(await queue.submit('fast', 'f')).toBe('f');
    slow.open();
    expect(await waiting).toBe('s');
  });

  it('closes a batch at the weight that a door carries, and carries one heavy item alone', async () => {
    const batches: string[][] = [];
    const queue = new BatchQueue<string, string>(async (_key, items) => {
      batches.push([...items]);
      return items;
    }, LIMITS);
    const heavy = { rows: 60, bytes: 10 };
    await Promise.all([queue.submit('k', 'a', heavy), queue.submit('k', 'b', heavy), queue.submit('k', 'c', { rows: 500, bytes: 5000 })]);
    expect(batches).toEqual([['a'], ['b'], ['c']]);
  });

  it('a poison item fails alone: its neighbours are answered', async () => {
    const queue = new BatchQueue<string, string>(
      async (_key, items) => {
        if (items.includes('poison')) throw new DefectFault('HOUSE:test:Poison', 'poison');
        return items;
      },
      { ...LIMITS, items: 10 },
    );
    const ends = await Promise.allSettled(['a', 'poison', 'b'].map((item) => queue.submit('k', item)));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('a database that cannot answer fails the batch whole and once: it is not asked again for each item', async () => {
    let asked = 0;
    const queue = new BatchQueue<string, string>(() => {
      asked += 1;
      throw new RetryableFault('HOUSE:test:Down', 'down');
    }, LIMITS);
    const ends = await Promise.allSettled(['a', 'b', 'c'].map((item) => queue.submit('k', item)));
    expect(ends.every(({ status }) => status === 'rejected')).toBe(true);
    expect(asked).toBe(1);
  });

  it('refuses at once what is beyond the bound of waiting items, and accepts again afterwards', async () => {
    const first = blocked();
    const queue = new BatchQueue<string, string>(async (_key, items) => {
      await first.gate;
      return items;
    }, LIMITS);
    const accepted = ['a', 'b', 'c', 'd', 'e'].map((item) => queue.submit('k', item));
    await expect(queue.submit('k', 'f')).rejects.toBeInstanceOf(RetryableFault);
    first.open();
    await Promise.all(accepted);
    await queue.idle();
    expect(await queue.submit('k', 'g')).toBe('g');
  });

  it('a run that answers too few is a defect for every item of it', async () => {
    const queue = new BatchQueue<string, string>(async () => [], LIMITS);
    await expect(queue.submit('k', 'a')).rejects.toBeInstanceOf(DefectFault);
  });
});
