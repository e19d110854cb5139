import { once } from 'node:events';
import { createServer } from 'node:net';
import { choosePorts } from './ports';

describe('ports', () => {
  it('chosen: the last ones where they are free, another one where somebody has it, and none twice', async () => {
    const shift = 9_000 + Number(process.env['JEST_WORKER_ID'] ?? 1) * 100;
    const first = await choosePorts({}, shift);
    const taken = createServer().listen(first['control'], '127.0.0.1');
    await once(taken, 'listening');
    const second = await choosePorts(first, shift);
    taken.close();
    expect(second['control']).not.toBe(first['control']);
    expect({ ...second, control: 0 }).toEqual({ ...first, control: 0 });
    expect(new Set(Object.values(second)).size).toBe(Object.keys(second).length);
  });
});
