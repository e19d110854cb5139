import { InputFault } from '@connector/kernel/faults';

/** Where a secret is, by EXACT version. Facts store this and nothing else about a secret (con:INV-18). */
export interface SecretRef {
  /** Components of `[a-z0-9._-]`, separated by `/`; at most 8. */
  readonly path: string;
  /** One component. There is no "latest". */
  readonly version: string;
}

/**
 * Reads secrets at the moment of use. The caller owns the buffer and zeroes it; `withSecret` does both.
 *
 * Throws SecretAbsent when there is no such version (never another version in its place), SecretRefused when the reference is malformed or
 * the place is not kept as a secret must be, RetryableFault when the backend could not be asked.
 */
export interface SecretBackend {
  read(ref: SecretRef): Promise<Buffer>;
}

/** This exact version does not exist. Falling forward to another one would use a credential that nobody named. */
export class SecretAbsent extends InputFault {}
/** The reference is malformed, or the secret lies open to others. */
export class SecretRefused extends InputFault {}

export const SECRET_BYTES_MAX = 64 * 1024;
const COMPONENT = /^(?!\.{1,2}$)[a-z0-9._-]{1,100}$/;
const COMPONENTS_MAX = 8;

/** The components of the place, version last; throws SecretRefused unless every one is canonical. */
export function secretComponents(ref: SecretRef): readonly string[] {
  const components = [...ref.path.split('/'), ref.version];
  if (components.length > COMPONENTS_MAX + 1 || !components.every((component) => COMPONENT.test(component))) {
    throw new SecretRefused('HOUSE:secrets:RefMalformed', 'a secret reference holds a component that is not [a-z0-9._-], or too many');
  }
  return components;
}

/** Runs `use` over the secret and zeroes it afterwards, whatever `use` did. `use` must not keep the buffer. */
export async function withSecret<T>(backend: SecretBackend, ref: SecretRef, use: (bytes: Buffer) => T | Promise<T>): Promise<T> {
  const bytes = await backend.read(ref);
  try {
    return await use(bytes);
  } finally {
    bytes.fill(0);
  }
}
