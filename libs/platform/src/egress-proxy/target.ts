/** The absolute form of a request target (RFC 9112 3.2.2), taken apart without being rewritten: the path goes on byte for byte. */
export interface Target {
  /** Lower case, with the port where it is not 80: the key of the route table. */
  readonly host: string;
  readonly path: string;
}

const ABSOLUTE = /^http:\/\/([a-z0-9.-]{1,255})(?::([0-9]{1,5}))?([/?][\x21-\x22\x24-\x7e]*)?$/i;

/** Undefined for anything but plain `http://host[:port]/path`: no user, no fragment, no other scheme, no origin form. */
export function readTarget(text: string): Target | undefined {
  const parts = ABSOLUTE.exec(text);
  if (parts === null) return undefined;
  const [, host = '', port, rest = '/'] = parts;
  const named = port === undefined || port === '80' ? host : `${host}:${port}`;
  return { host: named.toLowerCase(), path: rest.startsWith('/') ? rest : `/${rest}` };
}
