import * as fc from 'fast-check';
import { InputFault } from '@connector/kernel/faults';
import { comparePlaces, plusOne, positionBytes, positionText, type Place, type SourcePosition } from './position';

const u64 = fc.bigInt({ min: 0n, max: 18_446_744_073_709_551_615n });
/** Few bytes of few values: equal positions, and one that begins another, must come up. */
const bytes = fc.array(fc.nat(2), { minLength: 1, maxLength: 3 }).map((value) => Buffer.from(value));
const micros = fc
  .record({ ms: fc.integer({ min: 0, max: 4_000_000_000_000 }), us: fc.integer({ min: 0, max: 999 }) })
  .map(({ ms, us }) => ({
    at: BigInt(ms) * 1_000n + BigInt(us),
    text: `${new Date(ms).toISOString().slice(0, -1)}${String(us).padStart(3, '0')}Z`,
  }));
const place: fc.Arbitrary<Place> = fc.record({ position: bytes, tieBreaker: fc.oneof(bytes, fc.constant(Buffer.alloc(0))) });
const of = (value: bigint): Buffer => positionBytes({ kind: 'u64', value });
const sign = (left: bigint, right: bigint): number => (left < right ? -1 : left > right ? 1 : 0);

const seed = Date.now() % 2_147_483_647;
beforeAll(() => console.log(`position: fast-check seed ${seed}`));
const holds = <T extends unknown[]>(property: fc.IProperty<T>): void => fc.assert(property, { seed, numRuns: 500 });

describe('source position', () => {
  it('total: con:ORD-20 con:ORD-04 of any two places one is before the other, or every byte is equal; three are never in a circle', () => {
    holds(
      fc.property(place, place, place, (a, b, c) => {
        expect(Math.sign(comparePlaces(a, b))).toBe(-Math.sign(comparePlaces(b, a)) + 0);
        const same = a.position.equals(b.position) && a.tieBreaker.equals(b.tieBreaker);
        expect(comparePlaces(a, b) === 0).toBe(same);
        const sorted = [a, b, c].sort(comparePlaces) as [Place, Place, Place];
        expect(comparePlaces(sorted[0], sorted[2])).toBeLessThanOrEqual(0);
      }),
    );
  });

  it('u64: con:ORD-20 bytes stand in the order of the numbers, and the successor of a number is the next one', () => {
    holds(
      fc.property(u64, u64, (a, b) => {
        expect(Math.sign(Buffer.compare(of(a), of(b)))).toBe(sign(a, b));
        const next = plusOne(of(a));
        expect(next === undefined ? undefined : next.readBigUInt64BE()).toBe(a === 18_446_744_073_709_551_615n ? undefined : a + 1n);
        expect(positionText('u64', of(a))).toBe(a.toString());
      }),
    );
    expect(plusOne(of(18_446_744_073_709_551_615n))).toBeUndefined();
  });

  it('instant: con:ORD-20 bytes stand in the order of time, to the microsecond', () => {
    holds(
      fc.property(micros, micros, (a, b) => {
        const [one, other] = [a, b].map(({ text }) => positionBytes({ kind: 'instant', value: text })) as [Buffer, Buffer];
        expect(Math.sign(Buffer.compare(one, other))).toBe(sign(a.at, b.at));
        expect(positionText('instant', one)).toBe(a.text);
      }),
    );
  });

  it.each<[string, SourcePosition]>([
    ['a negative number', { kind: 'u64', value: -1n }],
    ['a number over 64 bits', { kind: 'u64', value: 18_446_744_073_709_551_616n }],
    ['no bytes', { kind: 'bytes', value: Buffer.alloc(0) }],
    ['more than 255 bytes', { kind: 'bytes', value: Buffer.alloc(256) }],
    ['a time of another zone', { kind: 'instant', value: '2026-01-01T00:00:00.000000+01:00' }],
    ['a time without its six digits', { kind: 'instant', value: '2026-01-01T00:00:00Z' }],
  ])('refused: con:ORD-06 %s is no canonical position', (_what, position) => {
    expect(() => positionBytes(position)).toThrow(InputFault);
  });

  it('shown: text as it is, other bytes in hex', () => {
    expect(positionText('bytes', Buffer.from('v1.2'))).toBe('v1.2');
    expect(positionText('bytes', Buffer.from([0, 255]))).toBe('0x00ff');
  });
});
