import type { AccountName, GateFence } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { planDigest, type Plan } from './plan';

export const GATE_VERBS = ['halt', 'resume'] as const;
export type GateVerb = (typeof GATE_VERBS)[number];

interface Words {
  readonly from: string;
  readonly to: string;
  readonly then: readonly string[];
  readonly wayBack: (account: AccountName) => readonly string[];
}

const WORDS: Readonly<Record<GateVerb, Words>> = {
  halt: {
    from: 'v2_serving',
    to: 'halting_v2',
    then: [
      'no delivery is admitted, nothing is claimed, authored or granted',
      'open permits may still make their one call and settle',
      'with the last permit closed the gate becomes v2_halted by itself',
    ],
    wayBack: (account) => [`once it is v2_halted: connector accounts resume ${account} --plan`, 'there is no way back from halting itself'],
  },
  resume: {
    from: 'v2_halted',
    to: 'v2_serving',
    then: ['deliveries are admitted again', 'what waited is looked for again, in every stage'],
    wayBack: (account) => [`connector accounts halt ${account} --plan`],
  },
};

/** The mode that a gate must have for the verb. */
export const modeFor = (verb: GateVerb): string => WORDS[verb].from;

/** Everything but the fence follows from verb and account. */
export function gatePlan(verb: GateVerb, account: AccountName, fence: bigint): Plan {
  const { from, to, then, wayBack } = WORDS[verb];
  return {
    schema: 'connector.plan/v1',
    verb: `accounts.${verb}`,
    subject: account,
    rung: 2,
    expected: { mode: from, fence: fence.toString() },
    steps: [`lock the gate of ${account}`, `gate ${from} -> ${to}, fence ${fence} -> ${fence + 1n}`],
    then,
    way_back: wayBack(account),
  };
}

/** Fences of one gate that are searched for the plan of a digest. */
const SEARCHED = 1_000n;

/**
 * The fence that a digest was planned for, at most 1000 moves ago; undefined where it is the digest of no plan of this gate. Plans of one
 * gate differ in their fence alone, so nobody has to keep them, and a confirmation that comes again after its own commit is still understood.
 */
export function plannedFence(verb: GateVerb, account: AccountName, digest: Digest, now: GateFence): bigint | undefined {
  const oldest = now > SEARCHED ? now - SEARCHED : 0n;
  for (let fence: bigint = now; fence >= oldest; fence -= 1n) {
    if (planDigest(gatePlan(verb, account, fence)) === digest) return fence;
  }
  return undefined;
}
