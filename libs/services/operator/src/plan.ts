import { Digest } from '@connector/kernel/digest';
import { jcs, type JsonObject } from '@connector/kernel/jcs';

/** What is planned before it is done. */
export const PLAN_VERBS = [
  ...(['accounts.halt', 'accounts.resume', 'permits.abandon', 'credentials.revoke', 'credentials.reenable'] as const),
  ...(['barriers.release'] as const),
  ...(['publishers.revoke-key', 'apps.accept', 'apps.recover', 'installs.install'] as const),
  ...(['installs.upgrade', 'installs.rollback', 'installs.remove', 'installs.abandon'] as const),
  ...(['bindings.activate', 'bindings.retire', 'bindings.fail', 'bindings.close-reference', 'bindings.decide-retention'] as const),
] as const;

/** A plan is inert. It never expires by time; it is stale once a bound value has moved (experience 3.0.4). */
export interface Plan {
  readonly schema: 'connector.plan/v1';
  readonly verb: (typeof PLAN_VERBS)[number];
  readonly subject: string;
  readonly rung: 2;
  /** What the rows must still say when it is confirmed. */
  readonly expected: JsonObject;
  readonly steps: readonly string[];
  readonly then: readonly string[];
  readonly way_back: readonly string[];
}

export interface PlannedAct {
  readonly plan: Plan;
  readonly digest: Digest;
  /** Counted now, so not part of the digest. */
  readonly estimate: JsonObject;
  readonly confirm: string;
}

/** Equal plans have equal digests: what `--confirm` names. */
export function planDigest({ schema, verb, subject, rung, expected, steps, then, way_back }: Plan): Digest {
  return Digest.sha256(jcs({ schema, verb, subject, rung, expected, steps, then, way_back }));
}

/** Fences of one gate that are searched for the plan of a digest. */
const SEARCHED = 1_000n;

/**
 * The fence of the plan that a digest is of, at most 1000 moves of its gate ago; undefined where it is the digest of none. Plans of one gate differ in
 * their fence alone, so nobody has to keep them, and a confirmation that comes again after its own commit is still understood.
 */
export function plannedFence(planAt: (fence: bigint) => Plan, digest: Digest, now: bigint): bigint | undefined {
  const oldest = now > SEARCHED ? now - SEARCHED : 0n;
  for (let fence = now; fence >= oldest; fence -= 1n) if (planDigest(planAt(fence)) === digest) return fence;
  return undefined;
}
