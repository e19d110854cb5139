import { nextEffectDue } from '@connector/connector/reads/outbound/next-effect-due';
import type { DueWork } from '@connector/connector/reads/serving/due-work';
import { restWork } from '@connector/connector/transitions/work/rest-work.tx';
import type { Db } from '@connector/platform/db/db';

/**
 * Lets the account rest until its oldest effect is due. One that stayed prepared for want of a slot is due already, so the account stays
 * due, at the age of that effect: which is what makes `longest due first` fair between accounts.
 */
export async function restEffects(db: Db, { account, produced }: DueWork): Promise<void> {
  const dueAt = await nextEffectDue(db, account);
  await restWork(db, { stage: 'effect', account, producedSeen: produced, dueAt });
}

/** An account that does not serve has nothing to grant; whoever makes it serve again raises its work (con:RESU-P). */
export async function restHalted(db: Db, { account, produced }: DueWork): Promise<void> {
  await restWork(db, { stage: 'effect', account, producedSeen: produced, dueAt: null });
}
