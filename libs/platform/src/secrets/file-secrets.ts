import { join } from 'node:path';
import { type SecretBackend, type SecretRef, secretComponents } from './secret-backend';
import { checkSecretDirectory, readSecretFile } from './secret-file';

/** The development adapter: `<dir>/<path>/<version>/value`, files of mode 0600 or 0400. Every component is looked at on every read. */
export class FileSecrets implements SecretBackend {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  async read(ref: SecretRef): Promise<Buffer> {
    let place = this.#dir;
    const components = secretComponents(ref);
    await checkSecretDirectory(place);
    for (const component of components) {
      place = join(place, component);
      await checkSecretDirectory(place);
    }
    return readSecretFile(join(place, 'value'));
  }
}
