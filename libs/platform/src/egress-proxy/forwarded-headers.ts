export const TOKEN_HEADER = 'x-egress-proxy-token';
export const REASON_HEADER = 'x-egress-proxy-reason';

/** Of one connection and not of the message. `transfer-encoding` of a request stays: Node's client frames the body by it. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authorization',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'expect',
];
/** Only this proxy says these: a provider or an adapter that sends them is not heard. */
const OURS = [TOKEN_HEADER, REASON_HEADER];

export interface UpstreamHead {
  readonly rawHeaders: readonly string[];
  readonly host: string;
  readonly token: string;
}

/** Name and value by turns, as Node takes them. */
export function toUpstream(head: UpstreamHead): string[] {
  const kept = without(head.rawHeaders, [...HOP_BY_HOP, ...OURS, 'host']);
  return ['Host', head.host, ...kept, TOKEN_HEADER, head.token, 'Connection', 'close'];
}

export function toClient(rawHeaders: readonly string[]): string[] {
  return without(rawHeaders, [...HOP_BY_HOP, ...OURS, 'transfer-encoding']);
}

function without(rawHeaders: readonly string[], names: readonly string[]): string[] {
  const dropped = new Set([...names, ...namedByConnection(rawHeaders)]);
  return pairs(rawHeaders).flatMap(([name, value]) => (dropped.has(name.toLowerCase()) ? [] : [name, value]));
}

function namedByConnection(rawHeaders: readonly string[]): string[] {
  return pairs(rawHeaders)
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase()));
}

function pairs(rawHeaders: readonly string[]): [string, string][] {
  return rawHeaders.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : []));
}
