import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ViewBinding } from '@connector/catalog/model/documents';
import type { Digest } from '@connector/kernel/digest';
import { forgetUnset, KEPT_MEMBERSHIP_BYTES_MAX, KEPT_PACKS_MAX, keepMembership, keepPack, keptDigests, readKept } from './kept-folder';

const SHIPPED = join(__dirname, '../../../shipped-packs');
let dir: string;
let desk: Buffer;
let digest: Digest;

async function digestOf(source: Buffer): Promise<Digest> {
  const { buildPack } = await import('@connector/packs/engine/build-pack.js');
  const { checkPackBytes } = await import('@connector/packs/engine/pack-bytes.js');
  const check = checkPackBytes(source);
  if (!check.ok) throw new Error('no pack');
  return buildPack(check).manifest.digest;
}
const bindingOf = (packPayloadDigest: Digest, owner = 'dev.example.tern-desk'): ViewBinding => ({
  ...{ kind: 'callout-profile', owner_pack: owner, pack_installation_id: 'i1', pack_payload_digest: packPayloadDigest },
  ...{ business_key: 'desk/api', definition_version: '2', credential_refs: ['desk/api-token'] },
});
const membership = () => ({ organization: 'org-1', workload: 'wl.a', bindings: [bindingOf(digest)] });
const packFile = (): string => join(dir, 'packs', `${digest.slice(7)}.json`);

beforeEach(async () => {
  dir = join(await mkdtemp(join(tmpdir(), 'kept-')), 'published');
  desk = await readFile(join(SHIPPED, 'tern-desk', 'pack.json'));
  digest = await digestOf(desk);
});
afterEach(() => rm(join(dir, '..'), { recursive: true }));

describe('the kept folder', () => {
  it('read: the membership as it was set, and every generation in it by its digest, in files of this user alone', async () => {
    expect(await readKept(dir)).toBeUndefined();
    await keepPack(dir, digest, desk);
    await keepMembership(dir, membership());
    const kept = await readKept(dir);
    expect(kept).toMatchObject(membership());
    expect(kept?.packs.get(digest)).toMatchObject({ source: JSON.parse(desk.toString()) as object, built: { packVersion: '1.2.0' } });
    for (const file of [packFile(), join(dir, 'membership.json')]) expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
  });

  it('read: a write that was cut off leaves the one before, and is no pack', async () => {
    await keepPack(dir, digest, desk);
    await keepMembership(dir, membership());
    await writeFile(join(dir, 'membership.json.8d1c'), '{"schema_ver');
    await writeFile(join(dir, 'packs', `${'0'.repeat(64)}.json.8d1c`), '{');
    expect(await readKept(dir)).toMatchObject(membership());
    expect(await keptDigests(dir)).toEqual([digest]);
  });

  it.each([
    ['no JSON', '{"schema_version":"conn', /membership\.json: expected strict JSON, found \S+ at byte/],
    [
      'another version',
      '{"bindings":[],"organization":"o","schema_version":"v2","workload":"w"}',
      /expected connector\.kept-membership\/v1/,
    ],
    [
      'a member more',
      '{"bindings":[],"more":1,"organization":"o","schema_version":"connector.kept-membership/v1","workload":"w"}',
      /found/,
    ],
    ['too large', ' '.repeat(KEPT_MEMBERSHIP_BYTES_MAX + 1), /expected at most 4194304 bytes, found 4194305/],
  ])('HOUSE:kept:Damaged: a membership that is %s', async (_, text, message) => {
    await mkdir(dir);
    await writeFile(join(dir, 'membership.json'), text);
    await expect(readKept(dir)).rejects.toMatchObject({ code: 'HOUSE:kept:Damaged', message: expect.stringMatching(message) });
  });

  it.each<[string, (file: string) => Promise<void>, RegExp]>([
    ['cut off', (file) => truncate(file, 100), /expected a pack, found not-json/],
    ['no pack any more', (file) => writeFile(file, '{}'), /expected a pack, found shape-wrong/],
    ['larger than a pack', (file) => truncate(file, 1_048_577), /expected at most 1048576 bytes, found 1048577/],
    [
      'another pack',
      (file) => writeFile(file, desk.toString().replace('10000', '10001')),
      /expected the source of \S+, found that of sha256:/,
    ],
    ['gone', (file) => rm(file), /expected the source of sha256:\w+, found no such file/],
    ['a folder', (file) => rm(file).then(() => mkdir(file)), /expected a file that can be read/],
  ])('HOUSE:kept:Damaged: a source that is %s', async (_, damage, message) => {
    await keepPack(dir, digest, desk);
    await keepMembership(dir, membership());
    await damage(packFile());
    await expect(readKept(dir)).rejects.toMatchObject({ code: 'HOUSE:kept:Damaged', message: expect.stringMatching(message) });
    // Kept once more, it is whole again.
    await rm(packFile(), { recursive: true, force: true });
    await keepPack(dir, digest, desk);
    expect((await readKept(dir))?.packs.size).toBe(1);
  });

  it('HOUSE:kept:TooMany, HOUSE:kept:TooLarge, HOUSE:kept:Shape: what is over its bound is not written, and what stands stays', async () => {
    await keepPack(dir, digest, desk);
    await keepMembership(dir, membership());
    for (let n = 1; n < KEPT_PACKS_MAX; n += 1) await writeFile(join(dir, 'packs', `${n.toString(16).padStart(64, '0')}.json`), '');
    const other = Buffer.from(desk.toString().replace('1.2.0', '1.3.0'));
    await expect(keepPack(dir, await digestOf(other), other)).rejects.toMatchObject({ code: 'HOUSE:kept:TooMany' });
    await keepPack(dir, digest, desk);
    const refs = Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(512, 'r'));
    const bindings = Array.from({ length: 100 }, () => ({ ...bindingOf(digest), credential_refs: refs }));
    await expect(keepMembership(dir, { ...membership(), bindings })).rejects.toMatchObject({ code: 'HOUSE:kept:TooLarge' });
    await expect(keepMembership(dir, { ...membership(), workload: '' })).rejects.toMatchObject({ code: 'HOUSE:kept:Shape' });
    expect(await readKept(dir)).toMatchObject(membership());
  });

  it('forgotten: packs that no binding names and what a cut-off write left, nothing else', async () => {
    const other = Buffer.from(desk.toString().replace('1.2.0', '1.3.0'));
    await keepPack(dir, digest, desk);
    await keepPack(dir, await digestOf(other), other);
    await keepMembership(dir, membership());
    await writeFile(join(dir, 'membership.json.8d1c'), '{');
    await forgetUnset(dir, membership());
    expect([(await readdir(dir)).toSorted(), await keptDigests(dir)]).toEqual([['membership.json', 'packs'], [digest]]);
    expect(await readKept(dir)).toMatchObject(membership());
  });
});
