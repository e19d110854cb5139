import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Digest } from '@connector/kernel/digest';
import { DefectFault } from '@connector/kernel/faults';
import { buildPack } from '@connector/packs/engine/build-pack';
import { checkPackBytes } from '@connector/packs/engine/pack-bytes';
import { keepMembership, keepPack } from '@connector/services/kept/src/kept-folder';
import { asKept, keptFor, readableKept } from './kept';
import { providerHosts } from './packs';
import { SCOPE } from './world';

const DESK = join(__dirname, '../../../../shipped-packs/tern-desk/pack.json');
const REFUSED = new DefectFault('HOUSE:local:StepRefused', 'POST /v1/epochs answered 409');

let dir: string;
let source: Buffer;
let digest: Digest;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kept-'));
  source = Buffer.from((await readFile(DESK, 'utf8')).replace('desk.tern.example', 'desk.elsewhere.example:8080'));
  const check = checkPackBytes(source);
  if (!check.ok) throw new Error('no pack');
  digest = buildPack(check).manifest.digest;
  await keepPack(dir, digest, source);
  await keepMembership(dir, { ...SCOPE, bindings: [] });
});
afterEach(() => rm(dir, { recursive: true }));

describe('a beginning with what was kept', () => {
  it('undefined: where nothing was set; the membership of its own workload otherwise', async () => {
    expect(await keptFor(join(dir, 'nothing'))).toBeUndefined();
    expect(await keptFor(dir)).toMatchObject({ ...SCOPE, bindings: [] });
  });

  it('HOUSE:local:KeptForAnother, HOUSE:kept:Damaged: what was expected, what was found, and the way out', async () => {
    await keepMembership(dir, { ...SCOPE, workload: 'wl.other', bindings: [] });
    await expect(keptFor(dir)).rejects.toThrow(
      /^It cannot begin with what is kept in [^]*expected the membership of wl\.workbench of [^]*found that of wl\.other [^]*npx connector dev reset --all$/,
    );
    await truncate(join(dir, 'membership.json'), 10);
    await expect(keptFor(dir)).rejects.toThrow(/HOUSE:kept:Damaged\n[^]*expected strict JSON, found [^]*npx connector dev reset --all$/);
  });

  it('HOUSE:local:StepRefused: a step that is refused then names the folder; without anything kept it is what it was', async () => {
    const [kept, ours] = [await keptFor(dir), new TypeError('ours')];
    const message = expect.stringMatching(/kept in [^]*answered 409[^]*dev reset --all/);
    expect(asKept(dir, kept, REFUSED)).toMatchObject({ code: 'HOUSE:local:StepRefused', message });
    expect([asKept(dir, undefined, REFUSED), asKept(dir, kept, ours)]).toEqual([REFUSED, ours]);
  });

  it('named: the providers of the kept packs are on the way out; a file that is damaged is told and stops nothing', async () => {
    const told: string[] = [];
    const hosts = async () => providerHosts(await readableKept(dir, (line) => void told.push(line)));
    const shipped = providerHosts([]);
    expect(await hosts()).toEqual([...shipped, 'desk.elsewhere.example:8080']);
    expect(told).toEqual([]);
    await truncate(join(dir, 'packs', `${digest.slice(7)}.json`), 10);
    expect(await hosts()).toEqual(shipped);
    expect(told).toEqual([expect.stringMatching(/expected a pack, found not-json: calls to a provider that only it names are refused/)]);
    await rm(join(dir, 'packs'), { recursive: true });
    await writeFile(join(dir, 'packs'), '');
    expect(await hosts()).toEqual(shipped);
    expect(told[1]).toContain('expected a folder that can be read');
  });
});
