/** One installation in the projection of one epoch. */
export interface BoundInstallation {
  readonly securityEpoch: bigint;
  /**
   * Canonical bytes of what the projection binds to it; null where it has none, or where that epoch has no projection; `altered` where what stands
   * at that epoch is not what its digest says, or of another organization.
   */
  readonly bindings: Buffer | 'altered' | null;
}

export type TupleAdmission =
  /** Under the other inputs of `securityEpoch`, the present one. */
  | { readonly kind: 'admitted'; readonly securityEpoch: bigint }
  | { readonly kind: 'refused'; readonly code: TupleRefusal; readonly currentEpoch: bigint };
/**
 * `epoch-ahead`: of an epoch that Runtime never allocated. `not-bound`: the tuple's own epoch binds nothing to the installation. `withdrawn`: it did,
 * and the present one does not. `bindings-differ`: the present one binds something else. `altered`: one of both projections fails its checksum.
 */
export type TupleRefusal = 'epoch-ahead' | 'not-bound' | 'withdrawn' | 'bindings-differ' | 'altered';

/**
 * Whether the security epoch of an ACTIVE tuple is admitted at the present one: at that very epoch, or at a newer one whose bindings of the same
 * installation are the same bytes (decisions 12.4). What other installations were granted since is theirs.
 */
export function admitTuple(tuple: BoundInstallation, current: BoundInstallation): TupleAdmission {
  const refused = (code: TupleRefusal): TupleAdmission => ({ kind: 'refused', code, currentEpoch: current.securityEpoch });
  if (tuple.securityEpoch > current.securityEpoch) return refused('epoch-ahead');
  if (tuple.bindings === 'altered' || current.bindings === 'altered') return refused('altered');
  if (tuple.bindings === null) return refused('not-bound');
  if (current.bindings === null) return refused('withdrawn');
  if (!tuple.bindings.equals(current.bindings)) return refused('bindings-differ');
  return { kind: 'admitted', securityEpoch: current.securityEpoch };
}
