import { U64_TEXT } from './body';

describe('numbers in a body', () => {
  it('taken: the shortest decimal of whatever 64 bits hold', () => {
    for (const text of ['0', '1', '9', '10', '9007199254740993', '9999999999999999999', '10000000000000000000', '18446744073709551615'])
      expect(text).toMatch(U64_TEXT);
    for (let bit = 0n; bit < 64n; bit += 1n) expect(String(1n << bit)).toMatch(U64_TEXT);
  });

  it('refused: one above, whichever digit it is above by, and another way of writing one', () => {
    const last = 18446744073709551615n;
    for (let power = 0n; power < 20n; power += 1n) expect(String(last + 10n ** power)).not.toMatch(U64_TEXT);
    for (const text of [
      '18446744073709551616',
      '99999999999999999999',
      '100000000000000000000',
      '',
      '00',
      '01',
      '-1',
      '+1',
      '1.0',
      '1e3',
      ' 1',
      '1\n',
    ])
      expect(text).not.toMatch(U64_TEXT);
  });
});
