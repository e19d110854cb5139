import * as fc from 'fast-check';
import { canonicalInstant, joinKey, keyFault, partFault } from './canonical';
import { clipped } from './parts';

describe('partFault', () => {
  it.each(['', ' a', 'a ', 'a\0b', 'a\nb', '\u200bx', '\u00a0a', 'é'.repeat(128)])('refused: %j is not canonical (con:IDN-03)', (part) => {
    expect(partFault(part)).toBeDefined();
  });

  it('accepted: what is canonical stays byte for byte, case and form included (con:IDN-02, con:IDN-04)', () => {
    for (const part of ['a', 'A', 'a b', 'é', 'e\u0301']) expect(partFault(part)).toBeUndefined();
    expect(joinKey(['A']).equals(joinKey(['a']))).toBe(false);
    expect(joinKey(['é']).equals(joinKey(['e\u0301']))).toBe(false);
  });
});

describe('joinKey', () => {
  it('key: lists of canonical parts of one length never meet in the same bytes', () => {
    const part = fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'b', ':', '/', '1') });
    const pair = fc.tuple(part, part);
    fc.assert(
      fc.property(pair, pair, (left, right) => {
        fc.pre(keyFault(left) === undefined && keyFault(right) === undefined);
        expect(joinKey(left).equals(joinKey(right))).toBe(left[0] === right[0] && left[1] === right[1]);
      }),
      { seed: 20261130, numRuns: 2_000 },
    );
  });
});

describe('canonicalInstant', () => {
  it.each([
    ['2026-11-02T09:15:00Z', '2026-11-02T09:15:00.000000Z'],
    ['2026-11-02t09:15:00.25z', '2026-11-02T09:15:00.250000Z'],
    ['2026-11-02T00:15:00.123456+01:30', '2026-11-01T22:45:00.123456Z'],
    ['2026-12-31T23:30:00-01:00', '2027-01-01T00:30:00.000000Z'],
  ])('instant: %s', (text, instant) => {
    expect(canonicalInstant(text)).toBe(instant);
  });

  it.each([
    '',
    '2026-02-30T00:00:00Z',
    '2026-11-02',
    '2026-11-02T09:15:00',
    '2026-11-02T24:00:00Z',
    '2026-11-02T09:15:60Z',
    '1969-12-31T23:59:59Z',
    '2026-11-02T09:15:00.1234567Z',
    '2026-11-02T09:15:00+24:00',
    '9999-12-31T23:59:59-01:00',
    ' 2026-11-02T09:15:00Z',
  ])('refused: %j', (text) => {
    expect(canonicalInstant(text)).toBeUndefined();
  });
});

describe('clipped', () => {
  it('text: at most so many bytes, never half a character', () => {
    expect(clipped('aé', 2)).toBe('a');
    expect(clipped('aé', 3)).toBe('aé');
    expect(clipped('😀😀', 7)).toBe('😀');
  });
});
