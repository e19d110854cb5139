import { canonicalize as other } from 'json-canonicalize';
import { jcs, type Json } from '@connector/kernel/jcs';
import { parseStrict } from '@connector/kernel/strict-json';
import { Random } from './system/random';

/** Ranges of code points that canonical forms stumble over: controls, quotes, Latin, both sides of the surrogates, the last plane. */
const RANGES: readonly (readonly [number, number])[] = [
  [0x00, 0x23],
  [0x2f, 0x7e],
  [0x7f, 0x100],
  [0xd7f0, 0xd7ff],
  [0xe000, 0xffff],
  [0x1f600, 0x1f640],
  [0x10fff0, 0x10ffff],
];

function textOf(random: Random): string {
  const points = Array.from({ length: random.below(6) }, () => {
    const [from, to] = RANGES[random.below(RANGES.length)] ?? [0, 0];
    return from + random.below(to - from + 1);
  });
  return String.fromCodePoint(...points);
}

/** Any 64 bits that are a finite double, or a small integer. */
function numberOf(random: Random): number {
  if (random.below(3) === 0) return random.below(2_000) - 1_000;
  const bits = Buffer.alloc(8);
  bits.writeUInt32BE(random.below(2 ** 32), 0);
  bits.writeUInt32BE(random.below(2 ** 32), 4);
  const value = bits.readDoubleBE();
  return Number.isFinite(value) ? value : 0;
}

function valueOf(random: Random, depth: number): Json {
  const kind = random.below(depth === 0 ? 4 : 7);
  if (kind === 0) return random.below(2) === 0;
  if (kind === 1) return random.below(8) === 0 ? null : numberOf(random);
  if (kind === 2) return numberOf(random);
  if (kind === 3) return textOf(random);
  const items = Array.from({ length: random.below(5) }, () => valueOf(random, depth - 1));
  return kind === 4 ? items : Object.fromEntries(items.map((item) => [textOf(random), item]));
}

/** The same value as somebody may write it: blanks, any order, longer escapes, longer numbers, each one time in eight. */
function loosely(value: Json, odd: () => boolean): string {
  const blank = (): string => (odd() ? ' ' : '');
  if (typeof value === 'string') return odd() ? JSON.stringify(value).replace(/[a-z/]/, escapeOf) : JSON.stringify(value);
  if (typeof value === 'number') return odd() ? value.toExponential() : String(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${blank()}${value.map((item: Json) => loosely(item, odd)).join(`${blank()},`)}]`;
  const sorted = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  const members = odd() ? sorted.reverse() : sorted;
  return `{${members.map(([name, item]) => `${loosely(name, odd)}:${blank()}${loosely(item, odd)}`).join(',')}}`;
}

function escapeOf(char: string): string {
  return char === '/' ? '\\/' : `\\u00${char.charCodeAt(0).toString(16)}`;
}

/** Bytes are canonical to the parser exactly where they are what the serializer writes. Undefined: beyond the integers that the parser takes. */
function isFoundOut(text: string): boolean | undefined {
  const bytes = Buffer.from(text, 'utf8');
  const read = parseStrict(bytes);
  if (!read.ok) return undefined;
  const canonical = jcs(read.value).equals(bytes);
  if (canonical !== (read.oddAt === undefined)) throw new Error(`canonical: ${canonical}, odd at ${read.oddAt}: ${text}`);
  return !canonical;
}

export interface Agreement {
  readonly compared: number;
  /** Of the loose writings of these values: those that the parser called odd, and those that happened to be canonical. */
  readonly foundOut: number;
  readonly canonical: number;
}

/**
 * Our canonical bytes against a second implementation that shares no code with the first, and against the parser's own opinion, on so many
 * generated values. Throws the first value that they differ on.
 */
export function jcsAgreement(values: number, seed: number): Agreement {
  const random = new Random(seed);
  const told = { foundOut: 0, canonical: 0 };
  for (let index = 0; index < values; index += 1) {
    const value = valueOf(random, 4);
    const ours = jcs(value).toString('utf8');
    if (ours !== other(value)) throw new Error(`value ${index} of seed ${seed}: ${ours} and ${other(value)}`);
    const odd = isFoundOut(loosely(value, () => random.below(8) === 0));
    if (odd !== undefined) told[odd ? 'foundOut' : 'canonical'] += 1;
  }
  return { compared: values, ...told };
}
