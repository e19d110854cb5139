import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APP, builtRelease } from '@connector/testing/fixtures/release';
import { type Ran, ranIn } from './ran-in.fixture';
import { writeRelease } from './release-folder.fixture';

let home: string;
let folder: string;
const connector = (line: string): Promise<Ran> => ranIn(home, line, {});
const release = builtRelease({
  layouts: { a: 1, b: 2 },
  slots: [{ key: 'main', version: 1, target: 'a' }],
  capabilities: [`${APP}.view.v1`],
});

/** Nothing runs here: what these commands say they say of files alone. */
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'connector-home-'));
  folder = join(home, 'desk');
});
afterEach(() => rm(home, { recursive: true }));

const edit = async (file: string, change: (text: string) => string): Promise<void> => {
  await writeFile(join(folder, file), change(await readFile(join(folder, file), 'utf8')));
};

describe('connector releases validate', () => {
  it('0: a canonical release is valid by its digest, with no service running', async () => {
    await writeRelease(folder, release);
    const { code, out } = await connector(`releases validate ${folder}`);
    expect([code, out]).toEqual([0, expect.stringContaining(`${APP} 1.0.0 is valid: 3 components, ${release.releaseDigest}.`)]);
    expect(JSON.parse((await connector(`releases validate ${folder} --json`)).out)).toMatchObject({
      valid: true,
      bundle_digest: release.bundleDigest,
    });
  });

  it('2: every fault of every document at once, each with its document, pointer, rule, what was expected and found', async () => {
    await writeRelease(folder, release);
    await edit('manifest.json', (text) => text.replace('"semantic_version":"1.0.0"', '"extensions":{},"semantic_version":"v1"'));
    await edit('behaviors/part-2.json', () => '{"schema_version":"other"}');
    const { code, out } = await connector(`releases validate ${folder}`);
    expect(code).toBe(2);
    for (const text of [
      'desk has 4 faults.   RELEASE_FAULTY',
      /manifest \/extensions {3}MANIFEST_NOT_CLOSED · MAN-01\n {4}Expected no member of this name\n {4}Found/,
      /manifest \/semantic_version {3}SEMVER_NOT_CANONICAL · MAN-03/,
      /bundle \/components\/\d\/content_digest {3}BLOB_MISSING · BUN-15/,
      /behaviors\/part-2.json is named by no component. Its content digest is\n {4}sha256:[0-9a-f]{64} as io.nexuscrm.layout-bundle-slot.v1/,
    ]) {
      expect(out).toEqual(typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text));
    }
    const document = JSON.parse((await connector(`releases validate ${folder} --json`)).out) as { errors: object[]; errors_more: number };
    expect([document.errors.length, document.errors_more, Object.keys(document.errors[0] ?? {}).sort()]).toEqual([
      ...[4, 0],
      ['code', 'document', 'expected', 'found', 'pointer', 'rule'],
    ]);
  });

  it('2: a digest that is not the one of the bytes is shown beside the one that is', async () => {
    await writeRelease(folder, release);
    const wrong = `sha256:${'0'.repeat(64)}`;
    await edit('manifest.json', (text) => text.replace(release.bundleDigest, wrong));
    expect((await connector(`releases validate ${folder}`)).out).toContain(`Expected ${release.bundleDigest}\n    Found    "${wrong}"`);
  });

  it('2: at most a hundred faults are listed, and the others are counted', async () => {
    await writeRelease(folder, release);
    const more = Array.from({ length: 150 }, (_, at) => `"x${at}":0`).join();
    await edit('manifest.json', (text) => `{${more},${text.slice(1)}`);
    const { errors, errors_more } = JSON.parse((await connector(`releases validate ${folder} --json`)).out) as {
      errors: object[];
      errors_more: number;
    };
    expect([errors.length, errors_more]).toEqual([100, 51]);
    expect((await connector(`releases validate ${folder}`)).out).toMatch(/\n {2}and 51 more\n/);
  });

  it('2 as they are and 0 with --canonicalize: files for people, whose canonical form has the digests of the release (cat:A-24)', async () => {
    await writeRelease(folder, release, 'readable');
    const plain = await connector(`releases validate ${folder}`);
    expect([plain.code, plain.out]).toEqual([
      2,
      expect.stringMatching(/JSON_NOT_CANONICAL · A-24[^]*\n {2}Do {7}the same with --canonicalize/),
    ]);
    const { code, out } = await connector(`releases validate ${folder} --canonicalize`);
    expect([code, out]).toEqual([0, expect.stringContaining(release.releaseDigest)]);
    expect(await readFile(join(folder, 'manifest.json'), 'utf8')).toContain('\n  ');
  });

  it('2: --canonicalize repairs nothing: a member that stands twice, and a set out of order', async () => {
    await writeRelease(folder, release, 'readable');
    await edit('manifest.json', (text) => text.replace('"app_id"', '"app_id": "dev.north.other",\n  "app_id"'));
    expect(await connector(`releases validate ${folder} --canonicalize`)).toMatchObject({
      code: 2,
      out: expect.stringContaining('manifest (the whole document)'),
    });
    await writeRelease(folder, release, 'readable');
    await edit('manifest.json', (text) => text.replace(/"owned_namespaces": \[/, '"owned_namespaces": [\n    "z.y",'));
    expect(await connector(`releases validate ${folder} --canonicalize`)).toMatchObject({
      code: 2,
      out: expect.stringContaining('SET_NOT_CANONICAL'),
    });
  });

  it('5: a folder that is none', async () => {
    expect(await connector(`releases validate ${folder}`)).toMatchObject({
      code: 5,
      err: expect.stringContaining('manifest.json cannot be read'),
    });
  });
});

describe('connector releases diff', () => {
  it('0: what came, went and changed, and what it means for installations and epochs', async () => {
    const next = join(home, 'next');
    await writeRelease(folder, release);
    await writeRelease(next, builtRelease({ version: '1.1.0', layouts: { a: 7, c: 3 }, capabilities: [`${APP}.edit.v1`] }));
    const { code, out } = await connector(`releases diff ${folder} ${next}`);
    expect(code).toBe(0);
    for (const text of [
      /Capabilities\n {2}new {6}dev.north.desk.edit.v1\n {2}gone {5}dev.north.desk.view.v1/,
      /Components\n {2}new .* c\n {2}gone .* b\n {2}changed .* a\n/,
      /Layout slots\n {2}gone /,
      /Means\n[^]*publishing this one changes none of them[^]*a new publication, which raises the catalog revision, the activation epoch and the security epoch/,
      /An epoch that serves froze the view of the old one/,
    ]) {
      expect(out).toMatch(text);
    }
    expect(JSON.parse((await connector(`releases diff ${folder} ${next} --json`)).out)).toMatchObject({
      ...{ same: false, version_taken: false },
      parts: { provided_capabilities: { added: [`${APP}.edit.v1`], gone: [`${APP}.view.v1`], changed: [] } },
    });
  });

  it('0: the same release, and a version that other bytes would use; 2: two Apps, or one that is faulty', async () => {
    const next = join(home, 'next');
    await writeRelease(folder, release);
    await writeRelease(next, release);
    expect((await connector(`releases diff ${folder} ${next}`)).out).toContain('nothing changes');
    await writeRelease(next, builtRelease({ layouts: { a: 2 } }));
    expect((await connector(`releases diff ${folder} ${next}`)).out).toContain('The registry refuses it');
    await writeRelease(next, builtRelease({ appId: 'dev.north.other' }));
    expect(await connector(`releases diff ${folder} ${next}`)).toMatchObject({ code: 2, err: expect.stringContaining('two Apps') });
    await writeFile(join(next, 'manifest.json'), '{}');
    expect(await connector(`releases diff ${folder} ${next}`)).toMatchObject({ code: 2, err: expect.stringContaining('RELEASE_FAULTY') });
  });
});

describe('connector publishers keygen', () => {
  it('0: a private key in a file that only its owner can read; what is printed is the public half', async () => {
    const file = join(home, 'north.key');
    const { code, out } = await connector(`publishers keygen --out ${file}`);
    const pem = await readFile(file, 'utf8');
    expect([code, ((await stat(file)).mode & 0o777).toString(8), pem.split('\n')[0]]).toEqual([
      0,
      '600',
      expect.stringContaining('PRIVATE KEY'),
    ]);
    expect(out).toMatch(/Key {6}ed25519:[0-9a-f]{64}\n {2}Public {3}[A-Za-z0-9+/]{43}=/);
    expect(out).not.toContain(pem.split('\n')[1]);
  });

  it('3: never over a file that is there, and never with a key that others can read', async () => {
    const file = join(home, 'north.key');
    await connector(`publishers keygen --out ${file}`);
    const before = await readFile(file, 'utf8');
    expect(await connector(`publishers keygen --out ${file}`)).toMatchObject({ code: 3, err: expect.stringContaining('the only copy') });
    expect(await readFile(file, 'utf8')).toBe(before);
    await writeRelease(folder, release);
    await chmod(file, 0o640);
    expect(await connector(`releases publish ${folder} --key ${file}`)).toMatchObject({
      code: 3,
      err: expect.stringContaining('chmod 600'),
    });
  });

  it('2: a file that has no key, of which nothing is repeated', async () => {
    const file = join(home, 'north.key');
    await writeFile(file, 'a secret of another kind', { mode: 0o600 });
    await writeRelease(folder, release);
    const { code, err } = await connector(`releases publish ${folder} --key ${file}`);
    expect([code, err]).toEqual([2, expect.stringContaining('no Ed25519 private key')]);
    expect(err).not.toContain('a secret');
  });
});
