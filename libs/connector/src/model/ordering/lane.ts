import type { AccountName } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { EpochId, LaneId } from '@connector/kernel/ids';
import { identified, profiled, type Identified } from '../digests/profiled';
import { comparePlaces, plusOne, type Place } from './position';

/** Account, NUL, the partition as the pack made it: two accounts never share a lane, whatever a pack calls its records (con:OPEN-12). */
export function partitionOf(account: AccountName, raw: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${account}\0`, 'utf8'), raw]);
}

/** For people: the pack's parts, joined as it joined them. */
export function partitionText(account: AccountName, partition: Buffer): string {
  return partition
    .subarray(Buffer.byteLength(account) + 1)
    .toString('utf8')
    .replaceAll('\0', ':');
}

/** con:LANE-K: one lane for epoch, route and partition, found again from them. */
export function laneDigest(epochId: EpochId, route: Digest, partition: Buffer): Identified<'LaneId'> {
  const digest = profiled('ordering-lane').bytes('epoch_id', EpochId.bytes(epochId)).digest('route', route).bytes('partition', partition);
  return identified(LaneId, digest.build());
}

/** What decides in a lane, as its locked row says. */
export interface LaneStand {
  readonly strict: boolean;
  /** The greatest completed place (con:ORD-10). */
  readonly highWater: Place | null;
  /** Where a strict lane begins. */
  readonly start: Buffer | null;
}

const at = (position: Buffer): Place => ({ position, tieBreaker: Buffer.alloc(0) });

/** At or below what is completed, or before the lane begins: decided without the application (con:ORD-13, con:ORD-19). */
export function isLate({ highWater, start }: LaneStand, place: Place): boolean {
  if (highWater !== null) return comparePlaces(place, highWater) <= 0;
  return start !== null && comparePlaces(place, at(start)) < 0;
}

/** The only position that a strict lane may take next (con:ORD-14); undefined behind the last one that there is, and in a latest lane. */
export function exactSuccessor({ strict, highWater, start }: LaneStand): Buffer | undefined {
  if (!strict) return undefined;
  return highWater === null ? (start ?? undefined) : plusOne(highWater.position);
}
