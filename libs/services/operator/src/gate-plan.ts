import type { AccountName } from '@connector/kernel/brand';
import type { Plan } from './plan';

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
