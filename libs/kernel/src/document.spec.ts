import { Ajv } from 'ajv';
import { Digest } from './digest';
import { documentDigest, documentKind, sealJson, uuidBytes, uuidText } from './document';
import { compareTuples, compareUtf8, inKeyOrder } from './document-order';
import { admitting, closed, COUNT, DECIMAL, DIGEST, listOf, oneOf, TEXT, type TypeOf, UUID } from './document-shape';
import { DefectFault, InputFault } from './faults';

const shape = closed(
  { schema_version: oneOf('test/v1'), tags: listOf(TEXT, 3), size: COUNT },
  { owner: closed({ id: UUID, revision: DECIMAL, digest: DIGEST }) },
);
type Sample = TypeOf<typeof shape>;
const sample = documentKind<Sample>({
  name: 'sample',
  separator: 'test.sample.v1',
  shape,
  arrange: (value) => ({ ...value, tags: inKeyOrder(value.tags, (tag) => [tag]) }),
});
const VALUE: Sample = { schema_version: 'test/v1', tags: ['b', 'a'], size: 1 };
const BYTES = '{"schema_version":"test/v1","size":1,"tags":["a","b"]}';

describe('documentDigest', () => {
  it('the separator, a NUL, the prefix with a NUL where there is one, the bytes', () => {
    expect(documentDigest('s', Buffer.from('b'))).toBe(Digest.sha256(Buffer.from('s\0b')));
    expect(documentDigest('s', Buffer.from('b'), 'p')).toBe(Digest.sha256(Buffer.from('s\0p\0b')));
    expect(sealJson('s', { b: 1, a: 2 }, 'p')).toEqual({
      bytes: Buffer.from('{"a":2,"b":1}'),
      digest: Digest.sha256(Buffer.from('s\0p\0{"a":2,"b":1}')),
    });
  });

  it('refused: a word that is empty or holds a NUL, which would make two documents one', () => {
    for (const [separator, prefix] of [[''], ['a\0b'], ['s', ''], ['s', 'a\0b']] as [string, string?][]) {
      expect(() => documentDigest(separator, Buffer.from('b'), prefix)).toThrow(DefectFault);
    }
  });
});

describe('document kind', () => {
  it('canonical bytes with sets in order, read back to the same value', () => {
    const made = sample.build(VALUE);
    expect(made.bytes.toString('utf8')).toBe(BYTES);
    expect(made.digest).toBe(documentDigest('test.sample.v1', made.bytes));
    const parsed = sample.parse(made.bytes);
    expect(parsed).toEqual({ ...made, value: { ...VALUE, tags: ['a', 'b'] } });
  });

  it('a copy of the bytes: the caller may reuse its buffer', () => {
    const source = Buffer.from(BYTES);
    const parsed = sample.parse(source);
    source.fill(0);
    expect(parsed.bytes.toString('utf8')).toBe(BYTES);
  });

  it.each([
    ['a member too many', '{"more":1,"schema_version":"test/v1","size":1,"tags":[]}', 'Shape'],
    ['a member missing', '{"schema_version":"test/v1","size":1}', 'Shape'],
    ['another version', '{"schema_version":"test/v2","size":1,"tags":[]}', 'Shape'],
    ['null for an optional member', '{"owner":null,"schema_version":"test/v1","size":1,"tags":[]}', 'Shape'],
    ['a list over its limit', '{"schema_version":"test/v1","size":1,"tags":["a","b","c","d"]}', 'Shape'],
    ['an empty text', '{"schema_version":"test/v1","size":1,"tags":[""]}', 'Shape'],
    ['a count below zero', '{"schema_version":"test/v1","size":-1,"tags":[]}', 'Shape'],
    ['not an object', '[]', 'Shape'],
    ['a set out of order', '{"schema_version":"test/v1","size":1,"tags":["b","a"]}', 'NotCanonical'],
    ['members out of order', '{"size":1,"schema_version":"test/v1","tags":[]}', 'NotCanonical'],
    ['a space', '{"schema_version":"test/v1","size":1, "tags":[]}', 'NotCanonical'],
    ['a newline behind', '{"schema_version":"test/v1","size":1,"tags":[]}\n', 'NotCanonical'],
    ['a number written otherwise', '{"schema_version":"test/v1","size":1.0,"tags":[]}', 'NotCanonical'],
    ['a needless escape', '{"schema_version":"test/v1","size":1,"tags":["\\u0061"]}', 'NotCanonical'],
    ['a member twice', '{"schema_version":"test/v1","size":1,"size":1,"tags":[]}', 'NotJson'],
    ['cut off', '{"schema_version":"test/v1"', 'NotJson'],
  ])('refused on reading: %s', (_name, text, code) => {
    expect(() => sample.parse(Buffer.from(text))).toThrow(expect.objectContaining({ code: `HOUSE:kernel:Document${code}` }) as Error);
  });

  it('refused: a set that names something twice, on writing and on reading', () => {
    const twice = expect.objectContaining({ code: 'HOUSE:kernel:SetRepeated' }) as Error;
    expect(() => sample.build({ ...VALUE, tags: ['a', 'a'] })).toThrow(twice);
    expect(() => sample.parse(Buffer.from('{"schema_version":"test/v1","size":1,"tags":["a","a"]}'))).toThrow(twice);
  });

  it('refused on writing: what the types cannot see', () => {
    expect(() => sample.build({ ...VALUE, size: 0.5 })).toThrow(InputFault);
    expect(() => sample.build({ ...VALUE, more: 1 } as Sample)).toThrow(InputFault);
    expect(() => sample.build({ ...VALUE, tags: ['\ud800'] })).toThrow(InputFault);
    const owner = { id: '018F3C2A-0000-7000-8000-000000000001', revision: '1', digest: Digest.sha256(Buffer.alloc(0)) };
    expect(() => sample.build({ ...VALUE, owner })).toThrow(InputFault);
    expect(sample.build({ ...VALUE, owner: { ...owner, id: owner.id.toLowerCase() } }).bytes.length).toBeGreaterThan(BYTES.length);
    expect(() => sample.build({ ...VALUE, owner: { ...owner, id: owner.id.toLowerCase(), revision: '01' } })).toThrow(InputFault);
  });
});

describe('order', () => {
  it('by UTF-8 bytes, where UTF-16 units would say the opposite', () => {
    expect(compareUtf8('\ufb33', '\u{1f600}')).toBeLessThan(0);
    expect('\ufb33' < '\u{1f600}').toBe(false);
  });

  it('by fields and not by the glued text; a tuple before its longer one', () => {
    expect(compareTuples(['a', 'z'], ['ab', 'a'])).toBeLessThan(0);
    expect(compareTuples(['a'], ['a', ''])).toBeLessThan(0);
    expect(compareTuples(['a', 'b'], ['a', 'b'])).toBe(0);
  });
});

describe('UUID text', () => {
  it('the 16 bytes both ways; refused: capitals, another length, another grouping', () => {
    const text = '018f3c2a-e0c0-7000-8000-000000000001';
    expect(uuidText(uuidBytes(text))).toBe(text);
    expect(uuidBytes(uuidText(Buffer.alloc(16, 0xff)))).toEqual(Buffer.alloc(16, 0xff));
    for (const bad of [text.toUpperCase(), text.replaceAll('-', ''), `${text}0`, `${text} `, '', text.replace('-', '--')]) {
      expect(() => uuidBytes(bad)).toThrow(InputFault);
    }
    expect(() => uuidText(Buffer.alloc(15))).toThrow(InputFault);
  });
});

describe('admitting', () => {
  const ajv = new Ajv({ strict: true });

  it('compiled when it is first asked: a schema that cannot be is refused then, and each time', () => {
    const never = admitting(ajv, { schema: { type: 'nonsense' } });
    expect(() => never({})).toThrow('schema is invalid');
    expect(() => never({})).toThrow('JSONType');
  });

  it('errors: of the last value alone, none before the first and none after one that is admitted', () => {
    const admits = admitting(ajv, closed({ size: COUNT }));
    expect(admits.errors).toEqual([]);
    expect(admits({ size: -1 })).toBe(false);
    expect(admits.errors.map(({ instancePath }) => instancePath)).toEqual(['/size']);
    expect(admits({ size: 1 })).toBe(true);
    expect(admits.errors).toEqual([]);
  });
});
