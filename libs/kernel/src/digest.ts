import { createHash } from 'node:crypto';
import type { Brand } from './brand';
import { InputFault } from './faults';

/** `sha256:` and 64 lower-case hex digits. */
export type Digest = Brand<string, 'Digest'>;

const FORM = /^sha256:[0-9a-f]{64}$/;

export const Digest = {
  parse(text: string): Digest {
    if (!FORM.test(text)) throw new InputFault('HOUSE:kernel:DigestNotCanonical', 'expected sha256: and 64 lower-case hex digits');
    return text as Digest;
  },
  of(bytes: Uint8Array): Digest {
    if (bytes.length !== 32) throw new InputFault('HOUSE:kernel:DigestNotCanonical', `a digest has 32 bytes, found ${bytes.length}`);
    return `sha256:${Buffer.from(bytes).toString('hex')}` as Digest;
  },
  bytes(digest: Digest): Buffer {
    return Buffer.from(digest.slice(7), 'hex');
  },
  /** SHA-256 over exactly these bytes. */
  sha256(bytes: Uint8Array): Digest {
    return `sha256:${createHash('sha256').update(bytes).digest('hex')}` as Digest;
  },
};
