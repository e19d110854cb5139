import { verifiedHash } from '@connector/catalog/model/conversion/check-source';
import type { LegacyComponent } from '@connector/catalog/model/conversion/legacy-pack';
import { readConversion, readLegacyReaders } from '@connector/catalog/reads/conversion';
import { answered } from '../installations/gather';
import type { ConversionParts, NoLegacyWorld } from './convert';

export interface AskProjection {
  readonly organization: string;
  readonly reader: string;
  readonly capabilityId: string;
}
export type FrozenProjection =
  | { readonly kind: 'found'; readonly manifestBytes: Buffer; readonly components: readonly LegacyComponent[] }
  /** Only what the ledger names may be read, by whom it names, for the capability that it names (cat:COEX-02). */
  | { readonly kind: 'not-in-ledger' }
  /** What is there is not what was converted (cat:COEX-01). */
  | { readonly kind: 'changed' }
  | { readonly kind: 'absent' }
  | NoLegacyWorld;

/** The one way to read a converted source: a migrated capability is in no ledger, so it cannot select it (cat:COEX-03). */
export async function readFrozenProjection(
  { preparation: { db }, legacy }: ConversionParts,
  { organization, reader, capabilityId }: AskProjection,
): Promise<FrozenProjection> {
  if (legacy === undefined) return { kind: 'no-legacy-world' };
  const conversion = await readConversion(db, organization);
  if (conversion === undefined) return { kind: 'absent' };
  const ledger = await readLegacyReaders(db, organization);
  const listed = ledger.find((one) => one.reader === reader && one.capabilityId === capabilityId);
  if (listed?.open !== true) return { kind: 'not-in-ledger' };
  const read = answered('legacy', await legacy.packs.read(conversion.key));
  if (read.kind === 'absent') return { kind: 'absent' };
  const { manifest, components } = read.record;
  if (manifest === null || components === null) return { kind: 'changed' };
  const same = verifiedHash({ manifest, components }) === conversion.key.appliedPayloadHash;
  return same ? { kind: 'found', manifestBytes: manifest, components } : { kind: 'changed' };
}
