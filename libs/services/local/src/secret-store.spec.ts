import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { mintSecrets, tokenRef } from './mint-secrets';
import { SERVICE_PLANS } from './plan';
import { SecretStore } from './secret-store';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'secrets-'))));
afterEach(() => rmSync(dir, { recursive: true }));

describe('secrets of a machine', () => {
  it('kept: minted once, each its own, in files that this user alone can read (con:INV-18)', async () => {
    const store = new SecretStore(join(dir, 'secrets'));
    await mintSecrets(store);
    const refs = SERVICE_PLANS.flatMap(({ name, callers }) => callers.map((caller) => tokenRef(caller, name)));
    const texts = await Promise.all(refs.map((ref) => store.read(ref)));
    expect(new Set(texts).size).toBe(refs.length);
    await mintSecrets(store);
    expect(await Promise.all(refs.map((ref) => store.read(ref)))).toEqual(texts);
    for (const ref of refs) {
      expect(statSync(store.fileOf(ref)).mode & 0o777).toBe(0o600);
      expect(statSync(dirname(store.fileOf(ref))).mode & 0o777).toBe(0o700);
    }
  });

  it('forgotten: a token that was withdrawn is no longer there', async () => {
    const store = new SecretStore(join(dir, 'secrets'));
    await store.put({ path: 'egress/gen_x', version: '1' }, 'once');
    await store.forget({ path: 'egress/gen_x', version: '1' });
    await expect(store.read({ path: 'egress/gen_x', version: '1' })).rejects.toMatchObject({ code: 'HOUSE:secrets:VersionAbsent' });
  });
});
