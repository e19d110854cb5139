import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FileSecrets } from './file-secrets';
import { type SecretRef, SecretRefused } from './secret-backend';
import { secretCases } from './secret-conformance';

const REF: SecretRef = { path: 'acme-keys/signing', version: '7' };
let dir: string;
const placeOf = (ref: SecretRef): string => join(dir, ref.path, ref.version, 'value');

async function put(ref: SecretRef, bytes: Buffer): Promise<void> {
  await mkdir(dirname(placeOf(ref)), { recursive: true, mode: 0o700 });
  await writeFile(placeOf(ref), bytes, { mode: 0o600 });
}
const read = (): Promise<Buffer> => new FileSecrets(dir).read(REF);

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'secrets-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('secret port, file adapter', () => {
  it.each(secretCases)('$title', ({ run }) => run({ backend: new FileSecrets(dir), put }));

  it.each([0o644, 0o640, 0o604, 0o660, 0o700, 0o4600])('refused: a file of mode %o is not kept as a secret', async (mode) => {
    await put(REF, Buffer.from('s'));
    await chmod(placeOf(REF), mode);
    await expect(read()).rejects.toMatchObject({ code: 'HOUSE:secrets:Exposed' });
  });

  it('read: mode 0400 is as good as 0600', async () => {
    await put(REF, Buffer.from('s'));
    await chmod(placeOf(REF), 0o400);
    await expect(read()).resolves.toEqual(Buffer.from('s'));
  });

  it('refused: a link is not followed, in the place of the file or of any directory', async () => {
    await put({ path: 'other', version: '7' }, Buffer.from('other'));
    await mkdir(join(dir, REF.path, '7'), { recursive: true, mode: 0o700 });
    await symlink(join(dir, 'other', '7', 'value'), placeOf(REF));
    await expect(read()).rejects.toMatchObject({ code: 'HOUSE:secrets:NotPlain' });
    await rm(join(dir, REF.path), { recursive: true });
    await symlink(join(dir, 'other'), join(dir, REF.path));
    await expect(read()).rejects.toMatchObject({ code: 'HOUSE:secrets:NotPlain' });
  });

  it('refused: a directory that others can write could be swapped', async () => {
    await put(REF, Buffer.from('s'));
    await chmod(join(dir, 'acme-keys'), 0o777);
    await expect(read()).rejects.toMatchObject({ code: 'HOUSE:secrets:Exposed' });
  });

  it('refused: a file of another user is not ours to trust', async () => {
    await put(REF, Buffer.from('s'));
    const owner = jest.spyOn(process, 'geteuid').mockReturnValue(4_242);
    await expect(read()).rejects.toMatchObject({ code: 'HOUSE:secrets:Owner' });
    owner.mockRestore();
  });

  it('refused: a pipe does not hold the reader, a directory and a huge file are no secrets', async () => {
    await mkdir(dirname(placeOf(REF)), { recursive: true, mode: 0o700 });
    execFileSync('mkfifo', ['-m', '600', placeOf(REF)]);
    await expect(read()).rejects.toMatchObject({ code: 'HOUSE:secrets:NotPlain' });
    await rm(placeOf(REF));
    await mkdir(placeOf(REF), { mode: 0o700 });
    await expect(read()).rejects.toBeInstanceOf(SecretRefused);
    await rm(placeOf(REF), { recursive: true });
    await put(REF, Buffer.alloc(0));
    await truncate(placeOf(REF), 64 * 1024 + 1);
    await expect(read()).rejects.toMatchObject({ code: 'HOUSE:secrets:TooLarge' });
  });

  it('canary: no fault of a read carries a byte of the secret', async () => {
    await put(REF, Buffer.from('planted-canary'));
    await chmod(placeOf(REF), 0o644);
    const thrown: unknown = await read().catch((fault: unknown) => fault);
    expect(thrown).toBeInstanceOf(SecretRefused);
    expect(String(thrown)).not.toContain('planted-canary');
  });
});
