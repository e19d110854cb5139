import assert from 'node:assert/strict';
import { SecretAbsent, type SecretBackend, type SecretRef, SecretRefused, withSecret } from './secret-backend';

/** A backend under test and a way to put a version into it. */
export interface SecretFixture {
  readonly backend: SecretBackend;
  put(ref: SecretRef, bytes: Buffer): Promise<void>;
}
export interface SecretCase {
  readonly title: string;
  readonly run: (fixture: SecretFixture) => Promise<void>;
}

const PATH = 'acme-keys/push.token';
const MALFORMED: readonly SecretRef[] = [
  { path: '../acme-keys', version: '1' },
  { path: 'acme-keys/..', version: '1' },
  { path: '/acme-keys', version: '1' },
  { path: '', version: '1' },
  { path: 'Acme', version: '1' },
  { path: 'a\0b', version: '1' },
  { path: 'a/b/c/d/e/f/g/h/i', version: '1' },
  { path: 'acme-keys', version: '.' },
  { path: 'acme-keys', version: '' },
  { path: 'acme-keys', version: '1/2' },
];

/** What every adapter of the secret port must pass; run each case with a fresh fixture. */
export const secretCases: readonly SecretCase[] = [
  {
    title: 'read: answers the bytes of exactly the version that was named',
    run: async ({ backend, put }) => {
      await put({ path: PATH, version: '1' }, Buffer.from([0, 255, 10, 1]));
      await put({ path: PATH, version: '2' }, Buffer.from('second'));
      assert.deepEqual(await backend.read({ path: PATH, version: '1' }), Buffer.from([0, 255, 10, 1]));
      assert.deepEqual(await backend.read({ path: PATH, version: '2' }), Buffer.from('second'));
    },
  },
  {
    title: 'absent: a version that does not exist is never answered by an older or a newer one',
    run: async ({ backend, put }) => {
      await put({ path: PATH, version: '1' }, Buffer.from('first'));
      await put({ path: PATH, version: '3' }, Buffer.from('third'));
      for (const version of ['2', '4', 'latest']) await assert.rejects(backend.read({ path: PATH, version }), SecretAbsent);
      await assert.rejects(backend.read({ path: 'nobody', version: '1' }), SecretAbsent);
    },
  },
  {
    title: 'refused: a reference that is not canonical reaches no storage',
    run: async ({ backend }) => {
      for (const ref of MALFORMED) await assert.rejects(backend.read(ref), SecretRefused, JSON.stringify(ref));
    },
  },
  {
    title: 'zeroed: the buffer is empty of the secret after use, also when the use throws',
    run: async ({ backend, put }) => {
      await put({ path: PATH, version: '1' }, Buffer.from('first'));
      const seen: Buffer[] = [];
      assert.equal(await withSecret(backend, { path: PATH, version: '1' }, (bytes) => seen.push(bytes)), 1);
      const failing = withSecret(backend, { path: PATH, version: '1' }, (bytes) => {
        seen.push(bytes);
        throw new Error('boom');
      });
      await assert.rejects(failing, { message: 'boom' });
      for (const bytes of seen) assert.deepEqual(bytes, Buffer.alloc(5));
    },
  },
  {
    title: 'own: two reads never share memory',
    run: async ({ backend, put }) => {
      await put({ path: PATH, version: '1' }, Buffer.from('first'));
      const kept = await backend.read({ path: PATH, version: '1' });
      await withSecret(backend, { path: PATH, version: '1' }, () => undefined);
      assert.deepEqual(kept, Buffer.from('first'));
    },
  },
];
