import type { Json } from '@connector/kernel/jcs';
import { parseStrict, type StrictJsonCode, type StrictJsonLimits } from '@connector/kernel/strict-json';
import { type FaultSink, Said } from './faults';
import { shapedJsonLimits } from './limits';

/** What is expected of bytes that are another form of their own value. */
export const CANONICAL_FORM = 'the canonical form of RFC 8785';

const LIMITS: ReadonlySet<StrictJsonCode> = new Set(['depth', 'keys', 'values', 'string-length']);

export interface ReadDocument {
  readonly value: Json;
  /** Whether the bytes are those of RFC 8785; when not, no digest of them means anything. */
  readonly canonical: boolean;
}

/**
 * The value of bytes that somebody submitted: within `bytesMax`, strict JSON, exactly their own canonical form (cat:A-24). Undefined where there
 * is no value to go on with. The size is looked at before anything else, so over the limit nothing is parsed or hashed (cat:A-25).
 */
export function readDocument(
  bytes: Buffer,
  bytesMax: number,
  sink: FaultSink,
  limits = shapedJsonLimits(bytesMax),
): ReadDocument | undefined {
  return readCounted(bytes, bytesMax, sink, limits).read;
}

/** The same, with how many values were read whether or not anything came of them: what a further document may cost then. */
export function readCounted(
  bytes: Buffer,
  bytesMax: number,
  sink: FaultSink,
  limits: StrictJsonLimits,
): { readonly read: ReadDocument | undefined; readonly values: number } {
  if (bytes.length > bytesMax) {
    sink('', 'LIMIT_EXCEEDED', 'A-25', `at most ${bytesMax} bytes`, bytes.length);
    return { read: undefined, values: 0 };
  }
  const parsed = parseStrict(bytes, limits);
  const { values } = parsed;
  if (!parsed.ok) {
    const over = LIMITS.has(parsed.code);
    sink(
      '',
      over ? 'LIMIT_EXCEEDED' : 'JSON_NOT_CANONICAL',
      over ? 'A-25' : 'A-24',
      'strict JSON',
      new Said(`${parsed.message}, at byte ${parsed.at}`),
    );
    return { read: undefined, values };
  }
  if (parsed.oddAt !== undefined) {
    sink('', 'JSON_NOT_CANONICAL', 'A-24', CANONICAL_FORM, new Said(`another from byte ${parsed.oddAt} on`));
  }
  return { read: { value: parsed.value, canonical: parsed.oddAt === undefined }, values };
}
