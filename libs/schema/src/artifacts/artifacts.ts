import { born, bytes, digest, int, name } from '@connector/kernel/column';
import { table } from '@connector/kernel/table';

/** cat:A-04: behaviour bytes under their ComponentDigest; the plain checksum is a delivery fact and no identity (cat:DIG-13). */
export const artBlob = table('art_blob', {
  about: 'Canonical behaviour bytes of components, insert-only.',
  rank: null,
  columns: {
    component_digest: digest(),
    component_kind: name(128),
    format_version: int(),
    raw_sha256: digest(),
    bytes: bytes(4 * 1024 * 1024),
    stored_at: born(),
  },
  primary: ['component_digest'],
});
