import type { RequiredProtocol } from './manifest';

/** A protocol as an engine or a host offers it. */
export type OfferedProtocol = Pick<RequiredProtocol, 'protocol_id' | 'major'> & { readonly minor: number };

/** Another major is incompatible, higher or lower; a lower minor too (cat:MAN-12). What is not offered is not compatible (cat:MAN-30). */
export function offersProtocol(offered: readonly OfferedProtocol[], required: RequiredProtocol): boolean {
  return offered.some(
    (one) => one.protocol_id === required.protocol_id && one.major === required.major && one.minor >= required.minimum_minor,
  );
}
