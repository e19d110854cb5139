import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimFolder } from './claim-folder';
import { type Layout, layoutOf } from './layout';

let layout: Layout;
beforeEach(async () => {
  layout = layoutOf(join(await mkdtemp(join(tmpdir(), 'claim-')), 'home'));
});
afterEach(() => rm(join(layout.home, '..'), { recursive: true }));

describe('folder of a machine', () => {
  it('refused: a second supervisor while the first one lives', async () => {
    const release = await claimFolder(layout);
    await expect(claimFolder(layout)).rejects.toMatchObject({ code: 'HOUSE:local:AlreadyRuns' });
    await release();
    await (
      await claimFolder(layout)
    )();
  });

  it.each(['{"pid":2147483646,"startTime":"1"}', '{"pid":21', ''])(
    'taken over: the lock of a supervisor that is gone, %p',
    async (left) => {
      await (
        await claimFolder(layout)
      )();
      await writeFile(layout.lock, left);
      await expect(claimFolder(layout)).resolves.toBeInstanceOf(Function);
    },
  );
});
