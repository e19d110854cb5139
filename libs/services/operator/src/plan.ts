import { Digest } from '@connector/kernel/digest';
import { jcs, type JsonObject } from '@connector/kernel/jcs';

/** A plan is inert. It never expires by time; it is stale once a bound value has moved (experience 3.0.4). */
export interface Plan {
  readonly schema: 'connector.plan/v1';
  readonly verb: 'accounts.halt' | 'accounts.resume' | 'permits.abandon';
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
