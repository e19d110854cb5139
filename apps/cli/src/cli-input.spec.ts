import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Ran, ranIn } from './ran-in.fixture';

let home: string;
const connector = (line: string): Promise<Ran> => ranIn(home, line, {});

/** Nothing runs here: what is wrong is said before anything is asked. */
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'connector-home-'));
});
afterEach(() => rm(home, { recursive: true }));

describe('connector and what it is given', () => {
  it.each([
    ['an unknown option', '"$KEY"'],
    ['a file name', 'releases publish . --key "$KEY"'],
    ['a release', 'releases get "$KEY"'],
    ['a public key', 'publishers add-key dev.north -- "$KEY"'],
    ['its body alone, as a file', 'releases publish . --key "$BODY"'],
  ])('2 or 5: a private key that was typed for %s is not repeated, in words or in JSON', async (_, line) => {
    const file = join(home, 'north.key');
    await connector(`publishers keygen --out ${file}`);
    const pem = await readFile(file, 'utf8');
    const body = pem.split('\n')[1] ?? '';
    for (const form of ['', ' --json']) {
      const { code, out, err } = await connector(`${line.replace('$KEY', pem).replace('$BODY', body)}${form}`);
      expect([2, 5]).toContain(code);
      expect(err).not.toBe('');
      expect(`${out}${err}`).not.toContain(body.slice(24));
    }
  });

  it.each([
    ['publishers lisst', 2, 'HOUSE:cli:Usage'],
    ['publishers get', 2, 'HOUSE:cli:Usage'],
    ['publishers revoke-key dev.north nonsense --plan', 2, 'CATALOG:ID_NOT_CANONICAL'],
    ['publishers list', 7, 'HOUSE:cli:Unavailable'],
    ['installs plan nothing.json --organization org-1', 5, 'HOUSE:cli:NotFound'],
  ])('%s --json is one JSON object with its exit, a code and a message', async (line, exit, code) => {
    const { err, out, ...ran } = await connector(`${line} --json`);
    expect([ran.code, out]).toEqual([exit, '']);
    expect(JSON.parse(err)).toEqual({ exit, code, message: expect.stringMatching(/./), next_steps: expect.any(Array) });
  });

  it.each([
    ['publishers revoke-key dev.north nonsense --plan', '<key>'],
    ['publishers add dev.north --idempotency-key nonsense', '--idempotency-key'],
  ])('%s: what is no id is told by the name of the argument', async (line, name) => {
    const { code, err } = await connector(line);
    expect([code, err]).toEqual([2, expect.stringContaining(`${name}: expected `)]);
  });

  it.each([
    ['nothing', 5, 'there is no such file'],
    ['folder', 2, 'it is a folder'],
    ['file/below', 5, 'a part of its path is no folder'],
    ['x'.repeat(300), 2, 'the name is too long'],
  ])('%s is no file: the code and the words say why', async (name, code, words) => {
    await mkdir(join(home, 'folder'));
    await writeFile(join(home, 'file'), '{}');
    const ran = await connector(`installs plan ${join(home, name)} --organization org-1`);
    expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(words)]);
  });

  it('7 and not 2: what comes through a pipe is read like a file', async () => {
    const pipe = join(home, 'pipe');
    await promisify(execFile)('mkfifo', [pipe]);
    const [ran] = await Promise.all([
      connector(`installs plan ${pipe} --organization org-1`),
      writeFile(pipe, '{"app_id":"dev.north.desk"}'),
    ]);
    expect([ran.code, ran.err]).toEqual([7, expect.stringContaining('No services run here')]);
  });

  it.each([
    ['nowhere/north.key', 5, 'there is no such folder'],
    ['file/north.key', 5, 'a part of its path is no folder'],
  ])('keygen: %s cannot be written, and no trace of the code is shown', async (name, code, words) => {
    await writeFile(join(home, 'file'), '');
    const ran = await connector(`publishers keygen --out ${join(home, name)}`);
    expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(words)]);
    expect(ran.err).not.toContain('    at ');
  });

  it('4: a file that may not be read', async () => {
    const file = join(home, 'mine.json');
    await writeFile(file, '{}');
    await chmod(file, 0o000);
    const ran = await connector(`installs plan ${file} --organization org-1`);
    // Whoever is root may read everything.
    expect(ran.code).toBe(process.getuid?.() === 0 ? 7 : 4);
  });
});

describe('connector help', () => {
  it.each(['publishers', 'apps', 'releases', 'installs', 'membership', 'bindings', 'packs', 'barriers', 'audit'])(
    '0: every command of %s shows an example of itself, however its help is asked for',
    async (group) => {
      const { out: overview } = await connector(`${group} --help`);
      const verbs = [...overview.matchAll(/^ {2}(\S+) \[options\]/gm)].map(([, verb]) => verb ?? '');
      expect(verbs).not.toEqual([]);
      for (const verb of verbs) {
        for (const line of [`${group} ${verb} --help`, `help ${group} ${verb}`]) {
          const { code, out } = await connector(line);
          expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`\nExamples\n.*  connector ${group} ${verb} `))]);
        }
      }
    },
  );
});
