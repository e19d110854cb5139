import type { Owners } from '@connector/connector/contract/owners';
import { generationsOf, pinsVerdict, pinVerdict, type Unfit } from '@connector/connector/model/serving/pins';
import type { StoredEpoch } from '@connector/connector/model/serving/verification';
import { PINNED_MAX } from '@connector/packs/model/pins';

/** Every pack generation that a candidate names, kept from now on (decisions 12.8); what is wrong where it cannot be. */
export async function pinNamed({ retention }: Owners, { epochId, epochDigest, parts }: StoredEpoch): Promise<Unfit | undefined> {
  const generations = generationsOf(parts);
  if (generations.length > PINNED_MAX) return { kind: 'rejected', reason: 'packs: TOO_MANY_GENERATIONS' };
  return pinVerdict(await retention.pin({ epochId, epochDigest, generations }));
}

/** Whether they are kept still. It only looks: an activation finds a lost pin instead of covering it. */
export async function lookForPins({ retention }: Owners, stored: StoredEpoch): Promise<Unfit | undefined> {
  return pinsVerdict(stored, await retention.read(stored.epochId));
}
