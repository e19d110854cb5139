import { invariant } from '@connector/kernel/faults';
import { jcs } from '@connector/kernel/jcs';
import { parseStrict } from '@connector/kernel/strict-json';

type Headers = Readonly<Record<string, string>>;

/** How a Receipt keeps the headers that its route names: JCS, or nothing where the route names none. */
export function headersToStore(names: readonly string[], headers: Headers): Buffer | null {
  return names.length === 0 ? null : jcs(headers);
}

/** The same headers again: what the sweep reads is what admission would have read. */
export function storedHeaders(stored: Buffer | null): Headers {
  if (stored === null) return {};
  const parsed = parseStrict(stored);
  invariant(parsed.ok && isTexts(parsed.value), 'HOUSE:ingress:StoredHeaders', 'the headers of a receipt are no map of texts');
  return parsed.value;
}

function isTexts(value: unknown): value is Headers {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every((text) => typeof text === 'string')
  );
}
