import { readNamedHeaders } from './named-headers';

const RAW = ['X-Kind', 'push', 'x-empty', '', 'X-Twice', 'a', 'x-twice', 'a', 'X-Other', 'o'];

describe('readNamedHeaders', () => {
  it('headers: those that the route names, by lower-case name, as they came; the others are not taken', () => {
    expect(readNamedHeaders(RAW, ['x-kind', 'x-empty'])).toEqual({ kind: 'headers', headers: { 'x-kind': 'push', 'x-empty': '' } });
    expect(readNamedHeaders(RAW, [])).toEqual({ kind: 'headers', headers: {} });
  });

  it('headers: one that was not sent is left out, so that the pack says whether it is needed', () => {
    expect(readNamedHeaders(RAW, ['x-absent'])).toEqual({ kind: 'headers', headers: {} });
  });

  it('not-canonical: a header that came twice, even with one value', () => {
    expect(readNamedHeaders(RAW, ['x-kind', 'x-twice'])).toMatchObject({ kind: 'not-canonical', help: 'send the header x-twice once' });
  });

  it.each(['caf\u00e9', 'a\tb', 'a\u0000b', 'x'.repeat(256)])('not-canonical: the value %j', (value) => {
    expect(readNamedHeaders(['x-kind', value], ['x-kind']).kind).toBe('not-canonical');
  });
});
