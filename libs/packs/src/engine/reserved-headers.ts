/** Names that no definition may set or keep: they carry credentials, steer the connection, or are made from the body by the sender. */
const RESERVED = new Set([
  ...['authorization', 'proxy-authorization', 'proxy-authenticate', 'proxy-connection', 'cookie', 'set-cookie', 'x-api-key', 'api-key'],
  ...['host', 'connection', 'keep-alive', 'upgrade', 'te', 'trailer', 'transfer-encoding', 'expect', 'via', 'forwarded'],
  ...['content-length', 'content-type', 'content-encoding', 'accept-encoding', 'idempotency-key', 'date', 'user-agent'],
]);

/** Why a header cannot be set by a definition whose profile itself uses `taken`, or undefined. */
export function reservedHeader(name: string, taken: readonly string[]): string | undefined {
  if (RESERVED.has(name) || name.startsWith('x-forwarded-')) return `${name} is not for definitions`;
  return taken.includes(name) ? `${name} is set by the callout profile` : undefined;
}
