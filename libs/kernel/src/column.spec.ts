import fc from 'fast-check';
import type { Instant } from './brand';
import { binary, born, bytes, digest, flag, id, instant, int, name, nullable, u64, word } from './column';
import { Digest } from './digest';
import { DefectFault, InputFault } from './faults';
import { ReceiptId } from './ids';

const SEED = 20250117;

/** What the driver gives back: bytes for binary columns, decimal text for wide integers. */
const wire = (value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

describe('column codecs', () => {
  it.each([0n, 9007199254740991n, 9007199254740993n, 18446744073709551615n])('no loss: u64 %s', (value) => {
    const column = u64();
    expect(column.encode(value)).toBe(value);
    expect(column.decode(wire(column.encode(value)))).toBe(value);
  });

  it.each([-1n, 18446744073709551616n])('refused: u64 %s', (value) => {
    expect(() => u64().encode(value)).toThrow(InputFault);
  });

  it('no loss: any bytes, through binary, bytes and id', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (raw) => {
        const buffer = Buffer.from(raw);
        for (const column of [binary(16), bytes(16)]) expect(column.decode(column.encode(buffer))).toEqual(buffer);
        expect(id(ReceiptId).decode(buffer)).toBe(ReceiptId.of(raw));
        expect(id(ReceiptId).encode(ReceiptId.of(raw))).toEqual(buffer);
      }),
      { seed: SEED },
    );
  });

  it.each([
    ['space behind', 'acme '],
    ['space in front', ' acme'],
    ['capital', 'Acme'],
    ['no capital', 'acme'],
    ['composed', '\u00fc'],
    ['decomposed', 'u\u0308'],
    ['NUL', 'a\0b'],
    ['beyond U+FFFF', '\u{1f600}'],
    ['empty', ''],
  ])('byte for byte: a name with %s (con:IDN-02, con:IDN-04)', (_name, value) => {
    const encoded = name(64).encode(value);
    expect(encoded).toEqual(Buffer.from(value, 'utf8'));
    expect(name(64).decode(encoded)).toBe(value);
  });

  it('different bytes for names that a collation would fold (con:IDN-04)', () => {
    const names = ['acme', 'acme ', 'Acme', 'acm\u00e9', 'acme\u0301'];
    expect(new Set(names.map((value) => (name(64).encode(value) as Buffer).toString('hex'))).size).toBe(names.length);
  });

  it('refused: over the size, counted in bytes and not in characters', () => {
    expect(name(2).encode('\u00fc')).toHaveLength(2);
    expect(() => name(1).encode('\u00fc')).toThrow(InputFault);
    expect(() => word(3).encode('abcd')).toThrow(InputFault);
    expect(() => bytes(1).encode(Buffer.alloc(2))).toThrow(InputFault);
    expect(() => binary(2).encode(Buffer.alloc(1))).toThrow(InputFault);
    expect(() => binary(2).encode(Buffer.alloc(3))).toThrow(InputFault);
  });

  it('the digest as 32 raw bytes', () => {
    const value = Digest.sha256(Buffer.from('a'));
    expect(digest().encode(value)).toEqual(Digest.bytes(value));
    expect(digest().decode(digest().encode(value))).toBe(value);
    expect(() => digest().decode(Buffer.alloc(31))).toThrow(InputFault);
  });

  it('32 bits as a number, refused outside', () => {
    for (const value of [0, 4294967295]) expect(int().decode(int().encode(value))).toBe(value);
    for (const value of [-1, 4294967296, 0.5, Number.NaN]) expect(() => int().encode(value)).toThrow(InputFault);
    for (const value of [true, false]) expect(flag().decode(flag().encode(value))).toBe(value);
  });

  it('six digits of a second in a time, both ways', () => {
    const value = '2025-01-14T09:08:07.000001Z' as Instant;
    for (const column of [instant(), born()]) {
      expect(column.encode(value)).toBe('2025-01-14 09:08:07.000001');
      expect(column.decode(column.encode(value))).toBe(value);
    }
    expect(born().default).toBe('CURRENT_TIMESTAMP(6)');
  });

  it('null only where the column may be null, and never the empty name (con:IDN-03)', () => {
    const column = nullable(name(8));
    expect([column.encode(null), column.decode(null)]).toEqual([null, null]);
    expect(column.decode(column.encode(''))).toBe('');
    expect(() => name(8).decode(null)).toThrow(DefectFault);
    expect(() => binary(8).decode(5)).toThrow(DefectFault);
  });
});
