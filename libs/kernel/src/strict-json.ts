import { isUtf8 } from 'node:buffer';
import { type Json, JSON_DEPTH_MAX } from './jcs';

/** Why bytes are refused. */
export type StrictJsonCode =
  | 'bom'
  | 'utf8'
  | 'syntax'
  | 'depth'
  | 'keys'
  | 'values'
  | 'string-length'
  | 'duplicate-member'
  | 'proto-member'
  | 'surrogate'
  | 'number-range';

/**
 * depth: containers within containers; keys: members of all objects together; stringBytes: between the quotes, as written; values: of every kind
 * together, for documents whose shape bounds them (left out: as many as the bytes hold).
 */
export interface StrictJsonLimits {
  readonly depth: number;
  readonly keys: number;
  readonly stringBytes: number;
  readonly values?: number;
}
export const STRICT_JSON_LIMITS: StrictJsonLimits = { depth: JSON_DEPTH_MAX, keys: 10_000, stringBytes: 1_048_576 };

/**
 * `at` is a byte offset. The message never quotes the input: a body may hold a secret. `oddAt`: where the bytes first differ from the form of
 * RFC 8785, in blanks, in the order of members, in how a text or a number is written; undefined: they are canonical, byte for byte. `values`: how
 * many were read, of whatever came of them.
 */
export type StrictJson = { readonly values: number } & (
  | { readonly ok: true; readonly value: Json; readonly oddAt: number | undefined }
  | { readonly ok: false; readonly code: StrictJsonCode; readonly at: number; readonly message: string }
);

class Refusal extends Error {
  constructor(
    readonly reason: StrictJsonCode,
    readonly at: number,
    message: string,
  ) {
    super(message);
  }
}

const [QUOTE, BACKSLASH, COMMA, COLON, MINUS, PLUS, DOT] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2b, 0x2e];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [LETTER_E, LETTER_E_SMALL, LETTER_U] = [0x45, 0x65, 0x75];
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);
const WORDS: ReadonlyMap<number, readonly [string, Json]> = new Map([
  [0x74, ['true', true]],
  [0x66, ['false', false]],
  [0x6e, ['null', null]],
]);
const HEX: ReadonlyMap<number, number> = new Map(
  [...'0123456789abcdefABCDEF'].map((char) => [char.charCodeAt(0), Number.parseInt(char, 16)]),
);
const ESCAPES: ReadonlyMap<number, string> = new Map(
  [...'"\\/']
    .map((char) => [char.charCodeAt(0), char] as const)
    .concat([
      [0x62, '\b'],
      [0x66, '\f'],
      [0x6e, '\n'],
      [0x72, '\r'],
      [0x74, '\t'],
    ]),
);

/** One pass over the bytes; a limit is tested before the thing that it limits is made. Depth is bounded, so recursion is. */
class Scanner {
  private at = 0;
  private keys = 0;
  values = 0;
  private odd: number | undefined;

  constructor(
    private readonly bytes: Buffer,
    private readonly limits: StrictJsonLimits,
    private readonly valuesMax = limits.values ?? Number.MAX_SAFE_INTEGER,
  ) {}

  document(): Json {
    const value = this.value(0);
    this.space();
    if (this.at < this.bytes.length) this.refuse('syntax', 'something follows the value');
    return value;
  }

  get oddAt(): number | undefined {
    return this.odd;
  }

  private refuse(code: StrictJsonCode, message: string, at = this.at): never {
    throw new Refusal(code, at, message);
  }

  private slice(from: number, to: number): string {
    return this.bytes.toString('utf8', from, to);
  }

  private space(): void {
    const start = this.at;
    for (let byte = this.bytes[this.at]; byte !== undefined && byte <= 0x20 && SPACES.has(byte); byte = this.bytes[this.at]) this.at += 1;
    if (this.at !== start) this.odd ??= start;
  }

  private take(byte: number): boolean {
    if (this.bytes[this.at] !== byte) return false;
    this.at += 1;
    return true;
  }

  private expect(byte: number): void {
    if (!this.take(byte)) this.refuse('syntax', `expected ${String.fromCharCode(byte)}`);
  }

  private value(depth: number): Json {
    this.space();
    if (++this.values > this.valuesMax) this.refuse('values', `more than ${this.valuesMax} values in all`);
    const byte = this.bytes[this.at];
    if (byte === QUOTE) return this.text();
    if (byte === OPEN_OBJECT) return this.object(this.deeper(depth));
    if (byte === OPEN_LIST) return this.list(this.deeper(depth));
    const word = byte === undefined ? undefined : WORDS.get(byte);
    return word === undefined ? (this.small() ?? this.number()) : this.word(...word);
  }

  private deeper(depth: number): number {
    if (depth >= this.limits.depth) this.refuse('depth', `more than ${this.limits.depth} levels`);
    this.at += 1;
    this.space();
    return depth + 1;
  }

  private word(word: string, value: Json): Json {
    if (this.slice(this.at, this.at + word.length) !== word) this.refuse('syntax', `expected ${word}`);
    this.at += word.length;
    return value;
  }

  private list(depth: number): Json {
    if (this.take(CLOSE_LIST)) return [];
    // Made with its first item: one that is pushed to when empty gets room for seventeen, and lists in lists have one each.
    const items: Json[] = [this.value(depth)];
    this.space();
    while (this.take(COMMA)) {
      items.push(this.value(depth));
      this.space();
    }
    this.expect(CLOSE_LIST);
    return items;
  }

  private object(depth: number): Json {
    // Without a prototype a member is there only if the input has it: no inherited `constructor`, and `__proto__` is a word like others.
    const members: Record<string, Json> = Object.create(null);
    if (this.take(CLOSE_OBJECT)) return members;
    let before: string | undefined;
    do {
      const at = this.at;
      const name = this.member(members);
      // JavaScript's own order of texts is that of RFC 8785: by UTF-16 units.
      if (before !== undefined && name < before) this.odd ??= at;
      before = name;
      members[name] = this.value(depth);
      this.space();
    } while (this.take(COMMA));
    this.expect(CLOSE_OBJECT);
    return members;
  }

  private member(members: Readonly<Record<string, Json>>): string {
    this.space();
    const at = this.at;
    if (this.bytes[at] !== QUOTE) this.refuse('syntax', 'expected a member name');
    if (++this.keys > this.limits.keys) this.refuse('keys', `more than ${this.limits.keys} members in all`);
    const name = this.text();
    if (name === '__proto__') this.refuse('proto-member', 'a member named __proto__', at);
    if (name in members) this.refuse('duplicate-member', 'the same member twice in one object', at);
    this.space();
    this.expect(COLON);
    return name;
  }

  /** From the opening quote to behind the closing one. Names are compared after unescaping: "a" and "\u0061" are one name. */
  private text(): string {
    const start = (this.at += 1);
    const parts: string[] = [];
    let from = start;
    for (let byte = this.bytes[this.at]; byte !== QUOTE; byte = this.bytes[this.at]) {
      if (byte === undefined || byte < 0x20) this.refuse('syntax', 'a string that does not end, or a control character in it');
      if (this.at - start >= this.limits.stringBytes) this.refuse('string-length', `a string over ${this.limits.stringBytes} bytes`, start);
      if (byte === BACKSLASH) {
        parts.push(this.slice(from, this.at), this.escape());
        from = this.at;
      } else this.at += 1;
    }
    if (this.at - start > this.limits.stringBytes) this.refuse('string-length', `a string over ${this.limits.stringBytes} bytes`, start);
    const rest = this.slice(from, this.at);
    this.at += 1;
    return parts.length === 0 ? rest : this.escaped(parts.join('') + rest, start);
  }

  /** A text with escapes has one canonical way to write them, and it is the serializer's of the language. */
  private escaped(text: string, start: number): string {
    if (this.odd === undefined && JSON.stringify(text) !== this.slice(start - 1, this.at)) this.odd = start - 1;
    return text;
  }

  private escape(): string {
    const at = this.at;
    const byte = this.bytes[at + 1];
    const char = byte === undefined ? undefined : ESCAPES.get(byte);
    this.at += 2;
    if (char !== undefined) return char;
    if (byte !== LETTER_U) this.refuse('syntax', 'an unknown escape', at);
    const unit = this.hex4();
    return unit < 0xd800 || unit > 0xdfff ? String.fromCharCode(unit) : this.pair(unit, at);
  }

  private pair(high: number, at: number): string {
    if (high > 0xdbff || !this.take(BACKSLASH) || !this.take(LETTER_U)) this.refuse('surrogate', 'an unpaired surrogate', at);
    const low = this.hex4();
    if (low < 0xdc00 || low > 0xdfff) this.refuse('surrogate', 'an unpaired surrogate', at);
    return String.fromCharCode(high, low);
  }

  private hex4(): number {
    let unit = 0;
    for (let at = this.at; at < this.at + 4; at += 1) {
      const digit = HEX.get(this.bytes[at] ?? 0);
      if (digit === undefined) this.refuse('syntax', 'expected four hex digits');
      unit = unit * 16 + digit;
    }
    this.at += 4;
    return unit;
  }

  /** The common case, an integer of at most 15 digits without a sign: exact, canonical, and read without a copy. Undefined: not that. */
  private small(): number | undefined {
    let at = this.at;
    let value = 0;
    let byte = this.bytes[at];
    for (; byte !== undefined && byte >= 0x30 && byte <= 0x39 && at - this.at < 16; byte = this.bytes[at]) {
      value = value * 10 + byte - 0x30;
      at += 1;
    }
    const digits = at - this.at;
    if (digits === 0 || digits > 15 || byte === DOT || byte === LETTER_E || byte === LETTER_E_SMALL) return undefined;
    if (digits > 1 && this.bytes[this.at] === 0x30) return undefined;
    this.at = at;
    return value;
  }

  /** Without fraction and exponent it is an integer and must be exact; with one of them it is a double, as JSON says, and must be finite. */
  private number(): number {
    const start = this.at;
    this.take(MINUS);
    if (!this.take(0x30)) this.digits();
    const fraction = this.take(DOT) && this.digits();
    const exponent = (this.take(LETTER_E) || this.take(LETTER_E_SMALL)) && (this.take(PLUS) || this.take(MINUS), this.digits());
    const digits = this.bytes.toString('latin1', start, this.at);
    const value = Number(digits);
    if (String(value) !== digits) this.odd ??= start;
    if (!Number.isFinite(value)) this.refuse('number-range', 'a number beyond a double', start);
    if (!fraction && !exponent && !Number.isSafeInteger(value)) this.refuse('number-range', 'an integer beyond 2^53-1', start);
    return value;
  }

  private digits(): true {
    const start = this.at;
    for (let byte = this.bytes[this.at]; byte !== undefined && byte >= 0x30 && byte <= 0x39; byte = this.bytes[this.at]) this.at += 1;
    if (this.at === start) this.refuse('syntax', 'expected a value');
    return true;
  }
}

/** Where the bytes stop being UTF-8: there the replacement character makes the first difference. */
function firstBadByte(bytes: Buffer): number {
  const repaired = Buffer.from(bytes.toString('utf8'), 'utf8');
  return bytes.findIndex((byte, index) => byte !== repaired[index]);
}

/**
 * The one parser of the system: every limit and every ambiguity is settled while scanning, before a reader could take one of two meanings.
 * Linear in the input. Objects come without a prototype. The caller bounds the number of bytes, and keeps them: they are the fact.
 */
export function parseStrict(bytes: Buffer, limits: StrictJsonLimits = STRICT_JSON_LIMITS): StrictJson {
  const refused = (code: StrictJsonCode, at: number, message: string, values = 0): StrictJson => ({ ok: false, code, at, message, values });
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return refused('bom', 0, 'a byte order mark');
  if (!isUtf8(bytes)) return refused('utf8', firstBadByte(bytes), 'not well-formed UTF-8');
  const scanner = new Scanner(bytes, limits);
  try {
    const value = scanner.document();
    return { ok: true, value, oddAt: scanner.oddAt, values: scanner.values };
  } catch (error) {
    if (error instanceof Refusal) return refused(error.reason, error.at, error.message, scanner.values);
    throw error;
  }
}
