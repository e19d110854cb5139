import { Digest } from '@connector/kernel/digest';
import { argument } from '@connector/kernel/faults';
import { planDigest, type Plan } from './plan';
import { RowProblem } from './row-problem';

/** Exactly the plan of that digest, or nothing: it is made again from what the confirmation says, and the door judges what moved since. */
export function planOfDigest(plan: Plan, confirm: string, look: string): void {
  if (planDigest(plan) === argument('confirm', Digest, confirm)) return;
  throw new RowProblem('PlanUnknown', { detail: 'This is the digest of no plan of these values, so nothing was done.', nextSteps: [look] });
}
