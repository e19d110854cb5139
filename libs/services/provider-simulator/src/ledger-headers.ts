/** Headers whose values are kept. A credential could stand in any other one, so of those only the length is. */
const KEPT = new Set([
  ...['host', 'accept', 'user-agent', 'content-type', 'content-length', 'content-encoding', 'transfer-encoding', 'connection', 'via'],
  ...['idempotency-key', 'date', 'traceparent', 'x-request-id'],
]);

export function ledgerHeaders(rawHeaders: readonly string[]): (readonly [string, string])[] {
  return rawHeaders.flatMap((name, at): (readonly [string, string])[] => {
    if (at % 2 === 1) return [];
    const value = rawHeaders[at + 1] ?? '';
    return [[name.toLowerCase(), KEPT.has(name.toLowerCase()) ? value : `(${value.length} characters)`]];
  });
}
