import { appCases } from '@connector/testing/vectors/load';
import { compareSemver, inRange, parseSemver, type Semver } from './semver';

function version(text: string): Semver {
  const parsed = parseSemver(text);
  if (parsed === undefined) throw new Error(`not canonical: ${text}`);
  return parsed;
}
const within = (text: string, min: string, max: string): boolean => inRange(version(text), version(min), version(max));
const LARGEST = String(2n ** 63n - 1n);

describe('semantic versions', () => {
  it('accepted: canonical SemVer 2.0.0 (cat:MAN-03)', () => {
    for (const text of ['0.0.0', '1.0.0', '1.0.0-rc.1', '1.0.0--', '1.0.0-0', '1.0.0-0a', '10.20.30-x-y.7'])
      expect(version(text).text).toBe(text);
  });

  it('refused: a leading v, build metadata, leading zeros, missing parts, blanks (cat:MAN-03)', () => {
    const bad = [
      'v1.0.0',
      '1.0',
      '1',
      '01.0.0',
      '1.00.0',
      '1.0.01',
      '1.0.0+b',
      '1.0.0-a+b',
      '1.0.0-01',
      '1.0.0-',
      '1.0.0-a..b',
      ' 1.0.0',
      '1.0.0 ',
      '1.0.0\n',
      '1.0.0.0',
      '-1.0.0',
      '1.0.0-\u00e4',
      '',
    ];
    for (const text of bad) expect({ text, parsed: parseSemver(text) }).toEqual({ text, parsed: undefined });
  });

  it('refused: more than 128 bytes, and numbers above 2^63-1 (cat:A-12)', () => {
    expect(version(`1.0.0-${'a'.repeat(122)}`).text).toHaveLength(128);
    expect(parseSemver(`1.0.0-${'a'.repeat(123)}`)).toBeUndefined();
    expect(version(`${LARGEST}.0.0-${LARGEST}`).core[0]).toBe(2n ** 63n - 1n);
    expect(parseSemver(`${2n ** 63n}.0.0`)).toBeUndefined();
    expect(parseSemver(`1.0.0-${2n ** 63n}`)).toBeUndefined();
  });

  it('the precedence of SemVer, every pair both ways (cat:MAN-08)', () => {
    const order = [...appCases.semver_order, '1.0.1-0', '1.0.1', '1.1.0', '2.0.0', '9007199254740992.0.0', '9007199254740993.0.0'];
    order.forEach((left, one) =>
      order.forEach((right, two) => expect(Math.sign(compareSemver(version(left), version(right)))).toBe(Math.sign(one - two))),
    );
  });

  it('a range takes its minimum and not its maximum, nor a prerelease of its maximum (cat:A-12)', () => {
    expect(within('1.2.0', '1.2.0', '2.0.0')).toBe(true);
    expect(within('2.0.0', '1.2.0', '2.0.0')).toBe(false);
    expect(within('2.0.0-rc.1', '1.2.0', '2.0.0')).toBe(false);
    expect(within('1.9.9', '1.2.0', '2.0.0')).toBe(true);
    expect(within('1.3.0-rc.1', '1.2.0', '2.0.0')).toBe(true);
    expect(within('1.2.0-rc.1', '1.2.0', '2.0.0')).toBe(false);
    expect(within('1.2.0-rc.1', '1.2.0-rc.1', '2.0.0')).toBe(true);
  });
});
