import fc from 'fast-check';
import { InputFault } from './faults';
import { isWellFormed, jcs, type Json, JSON_DEPTH_MAX } from './jcs';
import { parseStrict } from './strict-json';

const SEED = 20250114;

function double(hex: string): number {
  return Buffer.from(hex, 'hex').readDoubleBE();
}

describe('jcs', () => {
  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('the number of RFC 8785 appendix B: %s is %s', (hex, text) => {
    expect(jcs(double(hex)).toString('utf8')).toBe(text);
  });

  it.each([['7fffffffffffffff'], ['7ff0000000000000'], ['fff0000000000000']])('refused: a number that is not finite, %s', (hex) => {
    expect(() => jcs(double(hex))).toThrow(InputFault);
  });

  it('the key order of RFC 8785 section 3.2.3: by UTF-16 units', () => {
    const names = { '\u20ac': 'Euro Sign', '\r': 'Carriage Return', '\ufb33': 'Hebrew Letter Dalet With Dagesh', '1': 'One' };
    const value = { ...names, '\u{1f600}': 'Emoji: Grinning Face', '\u0080': 'Control', '\u00f6': 'Latin Small Letter O With Diaeresis' };
    const inOrder = [
      ...jcs(value)
        .toString('utf8')
        .matchAll(/:"([^"]*)"/g),
    ].map(([, name]) => name);
    expect(inOrder).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  it('the bytes of RFC 8785 section 3.2.4', () => {
    const value = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"\u002f',
      literals: [null, true, false],
    };
    const expected =
      '7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a5b3333333333333333332e333333333333332c' +
      '31652b33302c342e352c302e3030322c31652d32375d2c22737472696e67223a22e282ac245c75303030665c6e412742' +
      '5c225c5c5c5c5c222f227d';
    expect(jcs(value).toString('hex')).toBe(expected);
    expect(jcs(value).length).toBe(118);
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['an undefined member', { a: undefined }],
    ['an undefined item', [undefined]],
    ['a hole', new Array(2)],
    ['a symbol', { a: Symbol('a') }],
    ['a symbol for a member', { [Symbol('a')]: 1 }],
    ['a bigint', { a: 1n }],
    ['a function', { toJSON: () => 'x' }],
    ['a Date', new Date(0)],
    ['a Buffer', Buffer.from('a')],
    ['a Map', new Map()],
    ['NaN', [Number.NaN]],
    ['a lone high surrogate', 'a\ud800'],
    ['a lone low surrogate', '\udc00b'],
    ['a lone surrogate in a member name', { '\ud800': 1 }],
  ])('refused, not dropped or replaced: %s', (_name, value) => {
    expect(() => jcs(value as Json)).toThrow(InputFault);
  });

  it('refused: one level more than a reader takes', () => {
    const nested = (levels: number): Json => (levels === 0 ? 1 : [nested(levels - 1)]);
    expect(jcs(nested(JSON_DEPTH_MAX)).length).toBe(2 * JSON_DEPTH_MAX + 1);
    expect(() => jcs(nested(JSON_DEPTH_MAX + 1))).toThrow('64 levels');
  });

  it('bytes that say the same value again, and the same bytes of it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const json = value as Json;
        fc.pre(isWellFormed(JSON.stringify(json)));
        const bytes = jcs(json);
        expect(JSON.parse(bytes.toString('utf8'))).toEqual(JSON.parse(JSON.stringify(json)));
        expect(jcs(JSON.parse(bytes.toString('utf8')) as Json)).toEqual(bytes);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('bytes that the strict parser takes, and that it gives back', () => {
    const leaf = fc.oneof(fc.maxSafeInteger(), fc.boolean(), fc.constant(null), fc.string({ unit: 'binary' }).filter(isWellFormed));
    const name = fc.string({ unit: 'binary' }).filter((text) => isWellFormed(text) && text !== '__proto__');
    const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('tree')), fc.dictionary(name, tie('tree'), { noNullPrototype: false })),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const read = parseStrict(jcs(value));
        expect(read.ok && jcs(read.value)).toEqual(jcs(value));
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('the same bytes whatever the order in which members were written', () => {
    const members = fc.dictionary(fc.string(), fc.integer());
    fc.assert(
      fc.property(members, (value) => {
        const backwards = Object.fromEntries(Object.entries(value).reverse());
        expect(jcs(backwards)).toEqual(jcs({ ...value }));
      }),
      { seed: SEED },
    );
  });
});
