import { invariant } from '@connector/kernel/faults';
import type { PermitId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conDispatchPermit } from '@connector/schema/connector/outbound';

const PLACES_MAX = 500;
const PLACES = readRows(
  conDispatchPermit,
  ['permit_id', 'effect_id', 'account', 'credential_generation_id'],
  'WHERE permit_id IN (:permit_id)',
  'places',
);

export type PermitPlace = ReturnType<typeof PLACES.decode>;

/** Of which effect, account and credential generation these permits are, at most 500; it never changes. Unknown ones are missing. */
export async function permitPlaces(db: Db, permits: readonly PermitId[]): Promise<readonly PermitPlace[]> {
  invariant(permits.length <= PLACES_MAX, 'HOUSE:connector:ReadLimit', `at most ${PLACES_MAX} permits, found ${permits.length}`);
  return permits.length === 0 ? [] : db.read(PLACES, { permit_id: permits });
}
