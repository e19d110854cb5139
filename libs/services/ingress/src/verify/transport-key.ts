import { oneHeader, type HeaderList } from './header-list';
import type { NotCanonical, TransportKeyMissing } from './scheme';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** The provider's own name for this delivery, byte for byte: never trimmed, folded or decoded (PUB-ING-08). */
export type ReadTransportKey = { readonly kind: 'key'; readonly text: string } | TransportKeyMissing | NotCanonical;

export function readTransportKey(headers: HeaderList, name: string): ReadTransportKey {
  const header = oneHeader(headers, name);
  if (header.kind === 'absent') return { kind: 'transport-key-missing', help: `send the header ${name} with the id of this delivery` };
  if (header.kind === 'doubled') return { kind: 'not-canonical', help: `send the header ${name} once` };
  if (!VISIBLE_ASCII.test(header.value)) {
    return { kind: 'not-canonical', help: `${name} is 1 to 255 bytes of visible ASCII without spaces` };
  }
  return { kind: 'key', text: header.value };
}

/** Of a scheme that has no id of a delivery: the header that the route names, or none. */
export function readTransportKeyOr(
  headers: HeaderList,
  name: string | undefined,
): { readonly kind: 'key'; readonly text: string | undefined } | TransportKeyMissing | NotCanonical {
  return name === undefined ? { kind: 'key', text: undefined } : readTransportKey(headers, name);
}
