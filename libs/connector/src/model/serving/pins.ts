import type { Digest } from '@connector/kernel/digest';
import type { EpochId } from '@connector/kernel/ids';
import type { ServingEpochParts } from '../digests/serving-epoch.parts';
import type { OwnerAnswer } from './owner-answers';
import type { EpochVerdict, StoredEpoch } from './verification';

/** A candidate that is not verified now. */
export type Unfit = Exclude<EpochVerdict, { readonly kind: 'verified' }>;

/** A pack generation as a candidate froze it. */
export interface NamedGeneration {
  readonly storageId: string;
  readonly payloadDigest: Digest;
}
export interface PinRequest {
  readonly epochId: EpochId;
  readonly epochDigest: Digest;
  /** Each once. */
  readonly generations: readonly NamedGeneration[];
}
export type PinAnswer =
  { readonly kind: 'pinned' } | { readonly kind: 'unavailable' } | { readonly kind: 'absent' | 'mismatch'; readonly code: string };
export interface PinsAnswer {
  readonly epochDigest: Digest;
  readonly storageIds: readonly string[];
}

/** Every generation that the candidate names, each once, as its owner proved it. */
export function generationsOf({ proofs }: ServingEpochParts): readonly NamedGeneration[] {
  const named = proofs.map(({ packGenerationStorageId: storageId, packPayloadDigest: payloadDigest }) => ({ storageId, payloadDigest }));
  return [...new Map(named.map((one) => [`${one.storageId} ${one.payloadDigest}`, one])).values()];
}

/** What a pin says of a candidate whose facts were found: the definitions are there, and will be. */
export function pinVerdict(answer: PinAnswer): Unfit | undefined {
  if (answer.kind === 'pinned') return undefined;
  return answer.kind === 'unavailable' ? { kind: 'unavailable', owner: 'packs' } : { kind: 'rejected', reason: `packs: ${answer.code}` };
}

/** Whether the pins of a verified candidate stand, of exactly this digest and at least what it names. */
export function pinsVerdict(stored: StoredEpoch, answer: OwnerAnswer<PinsAnswer>): Unfit | undefined {
  if (answer.kind !== 'found') return pinVerdict(answer);
  if (answer.epochDigest !== stored.epochDigest) return { kind: 'rejected', reason: 'packs: PIN_DIFFERS' };
  const pinned = new Set(answer.storageIds);
  const all = generationsOf(stored.parts).every(({ storageId }) => pinned.has(storageId));
  return all ? undefined : { kind: 'rejected', reason: 'packs: GENERATION_NOT_PINNED' };
}
