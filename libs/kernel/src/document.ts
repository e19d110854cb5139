import { Ajv } from 'ajv';
import { Digest } from './digest';
import { admitting, type Shape } from './document-shape';
import { InputFault, invariant } from './faults';
import { jcs, type Json } from './jcs';
import { parseStrict, STRICT_JSON_LIMITS, type StrictJsonLimits } from './strict-json';

/** SHA-256 over `separator 00 [prefix 00] bytes` (digests.md 2). Only a binding definition has a prefix, its kind. */
export function documentDigest(separator: string, bytes: Uint8Array, prefix?: string): Digest {
  const words = prefix === undefined ? [separator] : [separator, prefix];
  // A NUL inside a word would let one document be read as another.
  for (const word of words) invariant(word !== '' && !word.includes('\0'), 'HOUSE:kernel:DocumentSeparator', 'empty, or with a NUL');
  return Digest.sha256(Buffer.concat([...words.map((word) => Buffer.from(`${word}\0`, 'utf8')), bytes]));
}

export interface DocumentBytes {
  readonly bytes: Buffer;
  readonly digest: Digest;
}
export interface ParsedDocument<T> extends DocumentBytes {
  readonly value: T;
}

/** One kind of owner's document: a closed shape, its canonical bytes, its digest. */
export interface DocumentKind<T> {
  readonly separator: string;
  /** Sets are put in order here, and only here; InputFault where the shape is wrong or a set names something twice. */
  build(value: T): DocumentBytes;
  /** Bytes that are not exactly those that `build` would give are an InputFault: nothing is repaired on reading. */
  parse(bytes: Uint8Array): ParsedDocument<T>;
}

interface DocumentSpec<T> {
  /** What messages call it. */
  readonly name: string;
  readonly separator: string;
  readonly shape: Shape<T>;
  /** The same value with every list that means a set in its order. */
  readonly arrange?: (value: T) => T;
}

/** Owners' documents list more than a delivery may: their lists are bounded by their shapes. */
const LIMITS: StrictJsonLimits = { ...STRICT_JSON_LIMITS, keys: 1_000_000 };
const ajv = new Ajv({ strict: true, ownProperties: true });

export function documentKind<T extends Json>(spec: DocumentSpec<T>): DocumentKind<T> {
  const admits = admitting(ajv, spec.shape);
  const arrange = spec.arrange ?? ((value: T) => value);
  const refuse = (code: string, what: string): never => {
    throw new InputFault(`HOUSE:kernel:Document${code}`, `${spec.name}: ${what}`);
  };
  const checked = (value: unknown): T => (admits(value) ? value : refuse('Shape', ajv.errorsText(admits.errors)));
  const seal = (bytes: Buffer): DocumentBytes => ({ bytes, digest: documentDigest(spec.separator, bytes) });

  const read = (bytes: Buffer): T => {
    const parsed = parseStrict(bytes, LIMITS);
    return parsed.ok ? checked(parsed.value) : refuse('NotJson', `${parsed.code} at byte ${parsed.at}`);
  };
  return {
    separator: spec.separator,
    build: (value) => {
      const bytes = jcs(arrange(checked(value)));
      read(bytes);
      return seal(bytes);
    },
    parse: (given) => {
      const bytes = Buffer.from(given);
      const value = read(bytes);
      if (!jcs(arrange(value)).equals(bytes)) refuse('NotCanonical', 'not the canonical bytes');
      return { value, ...seal(bytes) };
    },
  };
}

/** Any JSON object as canonical bytes with a digest, for documents whose shape another module holds. */
export function sealJson(separator: string, value: Json, prefix?: string): DocumentBytes {
  const bytes = jcs(value);
  return { bytes, digest: documentDigest(separator, bytes, prefix) };
}

/** 16 bytes as documents write them: lower-case hex in the grouping of a UUID. */
export function uuidText(bytes: Uint8Array): string {
  if (bytes.length !== 16) throw new InputFault('HOUSE:kernel:IdNotCanonical', `an id has 16 bytes, found ${bytes.length}`);
  const hex = Buffer.from(bytes).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

export function uuidBytes(text: string): Buffer {
  const hex = text.replaceAll('-', '');
  const bytes = /^[0-9a-f]{32}$/.test(hex) ? Buffer.from(hex, 'hex') : Buffer.alloc(0);
  if (bytes.length !== 16 || uuidText(bytes) !== text) throw new InputFault('HOUSE:kernel:IdNotCanonical', 'expected a lower-case UUID');
  return bytes;
}
