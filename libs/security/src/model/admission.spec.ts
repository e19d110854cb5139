import { admitTuple, type BoundInstallation } from './admission';

const at = (securityEpoch: bigint, bindings: string | null = 'a'): BoundInstallation => ({
  securityEpoch,
  bindings: bindings === null || bindings === 'altered' ? bindings : Buffer.from(bindings),
});
const refused = (code: string, currentEpoch: bigint) => ({ kind: 'refused', code, currentEpoch });

describe('admitTuple', () => {
  it('admitted: at the epoch of the tuple', () => {
    expect(admitTuple(at(5n), at(5n))).toEqual({ kind: 'admitted', securityEpoch: 5n });
  });

  it('admitted: at a newer epoch that binds the same bytes to the installation, and then under that one', () => {
    expect(admitTuple(at(5n), at(18446744073709551615n))).toEqual({ kind: 'admitted', securityEpoch: 18446744073709551615n });
  });

  it('bindings-differ: at a newer epoch that binds other bytes', () => {
    expect(admitTuple(at(5n), at(6n, 'b'))).toEqual(refused('bindings-differ', 6n));
  });

  it('withdrawn: at a newer epoch in which the installation no longer appears', () => {
    expect(admitTuple(at(5n), at(6n, null))).toEqual(refused('withdrawn', 6n));
  });

  it('not-bound: of an epoch that bound nothing to it, whatever the present one does', () => {
    expect([admitTuple(at(5n, null), at(5n, null)), admitTuple(at(0n, null), at(6n))]).toEqual([
      refused('not-bound', 5n),
      refused('not-bound', 6n),
    ]);
  });

  it('altered: the projection of the tuple or the present one is not what its digest says, whatever bytes it binds', () => {
    expect([admitTuple(at(5n, 'altered'), at(6n)), admitTuple(at(5n), at(6n, 'altered'))]).toEqual([
      refused('altered', 6n),
      refused('altered', 6n),
    ]);
  });

  it('epoch-ahead: of an epoch that Runtime did not allocate, whatever bytes it names', () => {
    expect([admitTuple(at(6n), at(5n)), admitTuple(at(1n, null), at(0n, null))]).toEqual([
      refused('epoch-ahead', 5n),
      refused('epoch-ahead', 0n),
    ]);
  });
});
