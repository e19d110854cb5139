import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writePrivately } from '@connector/platform/engine/files';
import { FileSecrets } from '@connector/platform/secrets/file-secrets';
import { SecretAbsent, type SecretRef, withSecret } from '@connector/platform/secrets/secret-backend';

/** Secrets of this machine in the layout of the development backend: made once, kept, files for this user alone. */
export class SecretStore {
  readonly dir: string;
  readonly #backend: FileSecrets;

  constructor(dir: string) {
    this.dir = dir;
    this.#backend = new FileSecrets(dir);
  }

  /** The text of a secret; `make` mints it where there is none yet. */
  async ensure(ref: SecretRef, make: () => string = mint): Promise<string> {
    try {
      return await this.read(ref);
    } catch (thrown) {
      if (!(thrown instanceof SecretAbsent)) throw thrown;
    }
    await this.put(ref, make());
    return this.read(ref);
  }

  read(ref: SecretRef): Promise<string> {
    return withSecret(this.#backend, ref, (bytes) => bytes.toString('utf8').trimEnd());
  }

  async put(ref: SecretRef, text: string): Promise<void> {
    const file = this.fileOf(ref);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writePrivately(file, `${text}\n`);
  }

  async forget(ref: SecretRef): Promise<void> {
    await rm(dirname(this.fileOf(ref)), { recursive: true, force: true });
  }

  fileOf({ path, version }: SecretRef): string {
    return join(this.dir, path, version, 'value');
  }
}

export const mint = (): string => randomBytes(32).toString('base64url');
