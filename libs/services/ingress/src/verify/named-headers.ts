import { oneHeader, type HeaderList } from './header-list';
import type { NotCanonical } from './scheme';

const VALUE = /^[\x20-\x7e]{0,255}$/;

export type ReadNamedHeaders = { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> } | NotCanonical;

/** The headers that a route names, by lower-case name, as they came; one that was not sent is left out: the pack says whether it needs it. */
export function readNamedHeaders(rawHeaders: HeaderList, names: readonly string[]): ReadNamedHeaders {
  const headers: Record<string, string> = {};
  for (const name of names) {
    const header = oneHeader(rawHeaders, name);
    if (header.kind === 'doubled') return { kind: 'not-canonical', help: `send the header ${name} once` };
    if (header.kind === 'absent') continue;
    if (!VALUE.test(header.value)) return { kind: 'not-canonical', help: `${name} is at most 255 bytes of printable ASCII` };
    headers[name] = header.value;
  }
  return { kind: 'headers', headers };
}
