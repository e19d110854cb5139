import { Digest } from './digest';
import { compareDigests, DIGEST_PROFILE, DigestBuilder, FieldWriter, resolveProfile } from './digest-profile';
import { InputFault } from './faults';

const V1 = 'nexuscrm.connector-digest-profile.v1';
const builder = (purpose = 'test'): DigestBuilder => new DigestBuilder(DIGEST_PROFILE, purpose);
const framed = (write: (writer: FieldWriter) => unknown): string => {
  const writer = new FieldWriter();
  write(writer);
  return writer.framed().toString('hex');
};

describe('digest profiles', () => {
  it('read-unsupported: the unprofiled form is the absence of an id, readable by no recipe that we have (con:DIG-04)', () => {
    expect(resolveProfile(null)).toEqual({ kind: 'read-unsupported', form: 'unprofiled' });
    expect(() => new DigestBuilder(null as never, 'test')).toThrow(InputFault);
  });

  it('read-unsupported: profile v1, and authoring under it is refused (con:DIG-05)', () => {
    expect(resolveProfile(V1)).toEqual({ kind: 'read-unsupported', form: 'v1' });
    expect(() => new DigestBuilder(V1 as never, 'test')).toThrow(InputFault);
  });

  it('v2: the only profile that authors (con:DIG-06)', () => {
    expect(resolveProfile(DIGEST_PROFILE)).toEqual({ kind: 'v2' });
    expect(builder().build().profile).toBe('nexuscrm.connector-digest-profile.v2');
  });

  it.each([
    ['empty', ''],
    ['unknown', 'nexuscrm.connector-digest-profile.v3'],
    ['with a space behind', `${DIGEST_PROFILE} `],
    ['with a capital', DIGEST_PROFILE.toUpperCase()],
    ['with a NUL behind', `${DIGEST_PROFILE}\0`],
    ['longer', `${DIGEST_PROFILE}1`],
    ['a purpose', `${DIGEST_PROFILE}/serving-epoch`],
    ['a word for absence', 'null'],
    ['a digest', `sha256:${'0'.repeat(64)}`],
  ])('refused: an id that is %s is none of the three (con:DIG-07, con:DIG-08)', (_name, id) => {
    expect(() => resolveProfile(id)).toThrow(InputFault);
    expect(() => new DigestBuilder(id as never, 'test')).toThrow(InputFault);
  });

  it('incomparable: equal digests of two profiles, or of an older one, say nothing (con:DIG-05, con:DIG-13)', () => {
    const digest = Digest.sha256(Buffer.from('a'));
    const v2 = { profile: DIGEST_PROFILE, digest };
    expect(compareDigests(v2, { ...v2 })).toEqual({ kind: 'equal' });
    expect(compareDigests(v2, { ...v2, digest: Digest.sha256(Buffer.from('b')) })).toEqual({ kind: 'different' });
    expect(compareDigests(v2, { profile: V1, digest })).toEqual({ kind: 'incomparable' });
    expect(compareDigests({ profile: V1, digest }, { profile: V1, digest })).toEqual({ kind: 'incomparable' });
    expect(compareDigests(v2, { profile: null, digest })).toEqual({ kind: 'incomparable' });
    expect(() => compareDigests(v2, { profile: '', digest })).toThrow(InputFault);
  });
});

describe('digest builder', () => {
  it('profile, purpose and fields, and the profile to store beside the digest (con:DIG-01, con:DIG-02, con:DIG-03)', () => {
    const made = builder('serving-scope').text('environment', 'production').build();
    const expected = `0000000000000024${Buffer.from(DIGEST_PROFILE).toString('hex')}000000000000000d73657276696e672d73636f7065000000000000000a70726f64756374696f6e`;
    expect(made.preimage.toString('hex')).toBe(expected);
    expect(made.digest).toBe(Digest.sha256(made.preimage));
    expect(builder('other').text('environment', 'production').build().digest).not.toBe(made.digest);
  });

  it('field names are for readers: no byte depends on them', () => {
    expect(builder().text('a', 'x').int('b', 1).build()).toEqual(builder().text('c', 'x').int('d', 1).build());
  });

  it('copies: a source that changes afterwards changes nothing (con:DIG-15)', () => {
    const source = Buffer.from('receipt');
    const given = builder().bytes('receipt', source);
    const before = given.build();
    source.fill(0);
    expect(given.build()).toEqual(before);
    expect(before.preimage.includes('receipt')).toBe(true);
  });

  it.each<[bigint | number, string]>([
    [0, '0000000000000000'],
    [255, '00000000000000ff'],
    [256, '0000000000000100'],
    [9007199254740993n, '0020000000000001'],
    [18446744073709551615n, 'ffffffffffffffff'],
  ])('eight bytes, big-endian: %s (con:DIG-16)', (value, hex) => {
    expect(framed((writer) => writer.int('n', value))).toBe(hex);
  });

  it.each([-1, 1.5, Number.NaN, 9007199254740992, -1n, 18446744073709551616n])(
    'refused: %s is not an exact unsigned 64-bit integer (con:DIG-16)',
    (value) => {
      expect(() => builder().int('n', value)).toThrow(InputFault);
    },
  );

  it.each([0, 1, 255, 256, 65_535, 65_536])('the length in front, at %d bytes (con:DIG-16)', (length) => {
    const hex = framed((writer) => writer.bytes('b', Buffer.alloc(length, 1)));
    expect(hex).toBe(length.toString(16).padStart(16, '0') + '01'.repeat(length));
  });

  it('another digest for the same bytes cut elsewhere: framing leaves no ambiguity (con:DIG-16)', () => {
    const cuts = [
      (writer: FieldWriter) => writer.text('a', 'ab').text('b', 'c'),
      (writer: FieldWriter) => writer.text('a', 'a').text('b', 'bc'),
      (writer: FieldWriter) => writer.text('a', 'abc').text('b', ''),
      (writer: FieldWriter) => writer.text('a', 'abc'),
      (writer: FieldWriter) => writer.list('a', ['a', 'bc'], (inner, item) => inner.text('i', item)),
      (writer: FieldWriter) => writer.list('a', ['a'], (inner, item) => inner.text('i', item)).text('b', 'bc'),
      (writer: FieldWriter) =>
        writer
          .list('a', [], (inner, item) => inner.text('i', item))
          .text('b', 'a')
          .text('c', 'bc'),
    ];
    expect(new Set(cuts.map(framed)).size).toBe(cuts.length);
  });

  it('absence is one byte 00, presence 01 and the value, so the empty text is not absence (con:DIG-02)', () => {
    expect(framed((writer) => writer.optText('a', null))).toBe('00');
    expect(framed((writer) => writer.optText('a', ''))).toBe('010000000000000000');
    expect(framed((writer) => writer.opt('a', 5, (inner, value) => inner.int('n', value)))).toBe('010000000000000005');
  });

  it('digests as 32 raw bytes, ids as 16, lineage as text and two integers (con:DIG-02)', () => {
    const digest = Digest.sha256(Buffer.from('a'));
    expect(framed((writer) => writer.digest('d', digest))).toBe(`0000000000000020${digest.slice(7)}`);
    expect(framed((writer) => writer.id('i', Buffer.alloc(16, 0xab)))).toBe(`0000000000000010${'ab'.repeat(16)}`);
    const lineage = { lineageId: 'l', catalogRevision: 42n, activationEpoch: 3n };
    expect(framed((writer) => writer.lineage('l', lineage))).toBe('00000000000000016c000000000000002a0000000000000003');
  });

  it('refused: half a surrogate pair, an id of another length, a digest in another form, an empty purpose', () => {
    expect(() => builder().text('t', '\ud800')).toThrow(InputFault);
    expect(() => builder().id('i', Buffer.alloc(15))).toThrow(InputFault);
    expect(() => builder().digest('d', `sha256:${'A'.repeat(64)}` as Digest)).toThrow(InputFault);
    expect(() => builder('')).toThrow(InputFault);
  });

  it('nothing is normalized: composed and decomposed text differ, and so do a space and none (con:DIG-02)', () => {
    const texts = ['\u00fc', 'u\u0308', '\u00fc ', 'U\u0308'];
    expect(new Set(texts.map((text) => builder().text('t', text).build().digest)).size).toBe(4);
  });
});
