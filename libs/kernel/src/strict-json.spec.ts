import fc from 'fast-check';
import { processorMs } from '@connector/testing/processor-time';
import type { Json } from './jcs';
import { parseStrict, STRICT_JSON_LIMITS, type StrictJson, type StrictJsonCode } from './strict-json';

const SEED = 20250115;
const read = (text: string): StrictJson => parseStrict(Buffer.from(text, 'utf8'));
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

function valueOf(text: string): Json {
  const parsed = read(text);
  if (!parsed.ok) throw new Error(`${parsed.code} at ${parsed.at}`);
  return parsed.value;
}
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const members = (count: number): string => `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',')}}`;

describe('strict JSON', () => {
  it.each([
    ['null', null],
    [' \t\r\n true ', true],
    ['false', false],
    ['0', 0],
    ['-0', -0],
    ['-12.5e-1', -1.25],
    ['1E+2', 100],
    ['1e+21', 1e21],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['""', ''],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041"', '"\\/\b\f\n\r\tA'],
    ['"\\ud83d\\uDE00\u{1f600}"', '\u{1f600}\u{1f600}'],
    ['[ ]', []],
    ['[1 , [2,{}] ]', [1, [2, {}]]],
    ['{ }', {}],
    ['{ "a" : {"a":1}, "b":[{"a":2}] , "":3 }', { a: { a: 1 }, b: [{ a: 2 }], '': 3 }],
    ['{"constructor":{"prototype":1},"toString":2}', { constructor: { prototype: 1 }, toString: 2 }],
  ])('the value of %j', (text, value) => {
    expect(valueOf(text)).toEqual(value);
  });

  it.each<[StrictJsonCode, string, number]>([
    ['syntax', '', 0],
    ['syntax', '  ', 2],
    ['syntax', 'nul', 0],
    ['syntax', 'truex', 4],
    ['syntax', '1 2', 2],
    ['syntax', '01', 1],
    ['syntax', '-', 1],
    ['syntax', '+1', 0],
    ['syntax', '.5', 0],
    ['syntax', '1.', 2],
    ['syntax', '1e', 2],
    ['syntax', '1e+', 3],
    ['syntax', 'NaN', 0],
    ['syntax', "'a'", 0],
    ['syntax', '[1,]', 3],
    ['syntax', '[1', 2],
    ['syntax', '[1}', 2],
    ['syntax', '{"a":1,}', 7],
    ['syntax', '{"a"}', 4],
    ['syntax', '{a:1}', 1],
    ['syntax', '{"a":1', 6],
    ['syntax', '"a', 2],
    ['syntax', '"\n"', 1],
    ['syntax', '"\\x"', 1],
    ['syntax', '"\\u12g4"', 3],
    ['syntax', '"\\', 1],
    ['syntax', '1 // a', 2],
    ['syntax', '\u00a01', 0],
    ['surrogate', '"\\ud800"', 1],
    ['surrogate', '"a\\udc00"', 2],
    ['surrogate', '"\\ud800\\ud800"', 1],
    ['surrogate', '"\\ud800x"', 1],
    ['surrogate', '"\\udc00\\udc00"', 1],
    ['surrogate', '"\\ud800\\n"', 1],
    ['surrogate', '{"\\udfff":1}', 2],
    ['number-range', '9007199254740992', 0],
    ['number-range', '[-9007199254740993]', 1],
    ['number-range', '1e400', 0],
    ['number-range', '-1e400', 0],
    ['duplicate-member', '{"a":1,"a":1}', 7],
    ['duplicate-member', '{"a":1,"\\u0061":1}', 7],
    ['duplicate-member', '[{"x":{"b":1,"c":2,"b":3}}]', 19],
    ['proto-member', '{"__proto__":{}}', 1],
    ['proto-member', '{"a":[{"\\u005f_proto__":1}]}', 7],
    ['depth', nested(65), 64],
  ])('refused: %s, %j', (code, text, at) => {
    expect(read(text)).toMatchObject({ ok: false, code, at });
  });

  it.each<[StrictJsonCode, string, Buffer, number]>([
    ['bom', 'a byte order mark', Buffer.concat([BOM, Buffer.from('{}')]), 0],
    ['utf8', 'a stray byte', Buffer.from([0x22, 0xff, 0x22]), 1],
    ['utf8', 'an overlong form', Buffer.from([0x22, 0x61, 0xc0, 0xaf, 0x22]), 2],
    ['utf8', 'a literal surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 1],
    ['utf8', 'a code point beyond the last', Buffer.from([0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]), 1],
    ['syntax', 'a byte order mark inside', Buffer.concat([Buffer.from(' '), BOM, Buffer.from('{}')]), 1],
    ['syntax', 'UTF-16', Buffer.from('{}', 'utf16le'), 1],
  ])('refused: %s, %s', (code, _name, bytes, at) => {
    expect(parseStrict(bytes)).toMatchObject({ ok: false, code, at });
  });

  it('an object without a prototype: what the input does not say is not there', () => {
    const value = valueOf('{"a":{}}') as { readonly [name: string]: Json };
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(Object.getPrototypeOf(value.a)).toBeNull();
    expect(value.constructor).toBeUndefined();
    expect('toString' in value).toBe(false);
  });

  it('a message that never quotes the input', () => {
    const refusals = ['{"secret-a":1,"secret-a":2}', '"secret-a', '{"secret-a"}', 'secret-a'].map(read);
    for (const refusal of refusals) expect(JSON.stringify(refusal)).not.toContain('secret-a');
  });

  it('a duplicate is one within its object only', () => {
    expect(valueOf('[{"a":1},{"a":{"a":1}}]')).toEqual([{ a: 1 }, { a: { a: 1 } }]);
  });

  it('each limit to the last unit, and refused one above it', () => {
    expect(read(nested(64)).ok).toBe(true);
    expect(read(members(10_000)).ok).toBe(true);
    expect(read(members(10_001))).toMatchObject({ code: 'keys' });
    expect(read(`[${Array.from({ length: 10_001 }, () => '{"a":0}').join(',')}]`)).toMatchObject({ code: 'keys' });
    expect(read(`"${'x'.repeat(1_048_576)}"`).ok).toBe(true);
    expect(read(`"${'x'.repeat(1_048_577)}"`)).toMatchObject({ code: 'string-length', at: 1 });
    expect(read(`"${'\\n'.repeat(524_289)}"`)).toMatchObject({ code: 'string-length' });
    const small = { depth: 1, keys: 1, stringBytes: 1 };
    expect(parseStrict(Buffer.from('{"a":"b"}'), small).ok).toBe(true);
    expect(parseStrict(Buffer.from('{"a":"bc"}'), small)).toMatchObject({ code: 'string-length' });
  });

  it.each<[string, string]>([
    ['deep', '['.repeat(4_000_000)],
    ['many members', members(10_000)],
    ['members that are array indexes', `{${Array.from({ length: 10_000 }, (_, index) => `"${index * 65_536}":0`).join(',')}}`],
    ['one long string', `"${'x'.repeat(1_048_576)}"`],
    ['one long string of escapes', `"${'\\u0041'.repeat(174_762)}"`],
    ['many empty strings', `[${Array.from({ length: 400_000 }, () => '""').join(',')}]`],
    ['many empty lists', `[${Array.from({ length: 400_000 }, () => '[]').join(',')}]`],
    ['one long number', `1.${'0'.repeat(4_000_000)}`],
    ['one long integer', '9'.repeat(4_000_000)],
    ['spaces', ' '.repeat(4_000_000)],
    ['a quote that never closes', `["${'\\"'.repeat(2_000_000)}`],
  ])('an answer within a second of processor time, so linear in the input: %s', (_name, text) => {
    const bytes = Buffer.from(text);
    expect(processorMs(() => parseStrict(bytes))).toBeLessThan(1_000);
  });

  it('what JSON.parse says, for every text that neither limit nor ambiguity touches', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const parsed = read(text);
        if (parsed.ok) expect(parsed.value).toEqual(JSON.parse(text));
        else expect(['number-range', 'surrogate', 'proto-member']).toContain(parsed.code);
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  it('never more than JSON.parse takes, for texts that are almost JSON', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      '1',
      '-',
      '.',
      'e',
      '0',
      ' ',
      'null',
      't',
      '\u0001',
      '\\u00',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 9 }), (parts) => {
        const text = parts.join('');
        if (read(text).ok) expect(() => JSON.parse(text)).not.toThrow();
      }),
      { seed: SEED, numRuns: 20_000 },
    );
  });

  it.each([
    ['{"b":1,"a":2}', 7],
    ['{ "a":1}', 1],
    ['[1 ]', 2],
    ['[1]\n', 3],
    ['"\\u0041"', 0],
    ['["a","\\/"]', 5],
    ['[1,1.0]', 3],
    ['-0', 0],
    ['1e2', 0],
    ['1E-7', 0],
    ['{"\u{1f600}":1,"\ufb33":2}', undefined],
    ['{"\ufb33":2,"\u{1f600}":1}', 9],
    ['["\\u0000","\\n",1e-7,1e+21,0.000001,-1.5]', undefined],
  ])('where %s first leaves the canonical form: %s', (text, at) => {
    expect(read(text)).toMatchObject({ ok: true, oddAt: at });
  });

  it('values: one more than the limit, of any kind', () => {
    const limits = { ...STRICT_JSON_LIMITS, values: 4 };
    for (const text of ['[1,2,3]', '{"a":[null],"b":""}', '[[[]],{}]']) {
      expect(parseStrict(Buffer.from(text), limits).ok).toBe(true);
      expect(parseStrict(Buffer.from(`[${text}]`), limits)).toMatchObject({ code: 'values' });
    }
  });
});
