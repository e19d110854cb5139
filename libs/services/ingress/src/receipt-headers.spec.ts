import * as fc from 'fast-check';
import { DefectFault } from '@connector/kernel/faults';
import { HEADERS_BYTES_MAX } from '@connector/schema/connector/inbound';
import { headersToStore, storedHeaders } from './receipt-headers';

const seed = 20261130;

describe('headers of a receipt', () => {
  it('same: what is stored is read back, in canonical bytes, whatever printable text a header has', () => {
    const headers = fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9-]{0,63}$/), fc.stringMatching(/^[ -~]{0,255}$/), { maxKeys: 8 });
    fc.assert(
      fc.property(headers, (given) => {
        expect(storedHeaders(headersToStore(['x'], given))).toEqual(given);
      }),
      { seed, numRuns: 300 },
    );
  });

  it('fits: the longest that a route may name and a sender may send has a place in the row', () => {
    const longest = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`x${at}${'h'.repeat(62)}`, '"'.repeat(255)]));
    expect(headersToStore(Object.keys(longest), longest)?.length).toBeLessThanOrEqual(HEADERS_BYTES_MAX);
  });

  it('nothing: a route that names no header stores none', () => {
    expect(headersToStore([], {})).toBeNull();
    expect(storedHeaders(null)).toEqual({});
  });

  it('defect: what we stored is no map of texts', () => {
    for (const bytes of ['[]', '{"x":1}', '{', 'null']) expect(() => storedHeaders(Buffer.from(bytes))).toThrow(DefectFault);
  });
});
