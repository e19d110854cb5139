import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import { lockRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { secHead } from '@connector/schema/security/security';
import { noOtherInputs } from '../contract/projection';

export interface HeldHead {
  readonly organization: string;
  /** 0 where nothing was projected yet (cat:A-31). */
  readonly securityEpoch: bigint;
  readonly otherInputsDigest: Digest;
}

const HEAD = lockRows(secHead, ['security_epoch', 'other_inputs_digest'], 'WHERE organization_id = :organization_id');

/**
 * The writer fence of one organization, held: its writers come one after another, those of another do not wait (cat:SEC-05). An absent row
 * locks nothing, so it is made first; of two who make it the second waits for the first on its key, and then holds what that one left.
 */
export async function holdHead(tx: FencedTx, organization: string): Promise<HeldHead> {
  const key = { organization_id: organization };
  const found = (await tx.lock(HEAD, key)) ?? (await made(tx, organization));
  return { organization, securityEpoch: found.security_epoch, otherInputsDigest: found.other_inputs_digest };
}

async function made(tx: FencedTx, organization: string) {
  const key = { organization_id: organization };
  await tx.insertNew(secHead, {
    ...key,
    security_epoch: 0n,
    projection_digest: null,
    other_inputs_digest: noOtherInputs(organization).digest,
  });
  const head = await tx.lock(HEAD, key);
  invariant(head !== undefined, 'HOUSE:security:HeadVanished', 'the head of an organization was there and is not');
  return head;
}
