import type { CalloutProfile } from '../model/definition-schemas';
import { costFaults, costOf, ExpressionSet } from './definition';
import { definitionFault, type DefinitionFault } from './definition-fault';
import type { Expression } from './expression';

export interface PlannedRule {
  readonly status: readonly number[];
  readonly when: Expression | undefined;
  readonly then: CalloutProfile['classify'][number]['then'];
}
/** A callout profile with its expressions compiled. */
export interface CalloutPlan {
  readonly definition: CalloutProfile;
  readonly rules: readonly PlannedRule[];
  readonly remoteIdentity: Expression | undefined;
  readonly faults: readonly DefinitionFault[];
}

export function planCallout(definition: CalloutProfile): CalloutPlan {
  const set = new ExpressionSet();
  const rules = definition.classify.map(({ status, when, then }, at) => ({
    status,
    when: when === undefined ? undefined : set.compile(`/classify/${at}/when`, when, ['status', 'headers', 'body']),
    then,
  }));
  const { remote_identity } = definition;
  const remoteIdentity = remote_identity === undefined ? undefined : set.compile('/remote_identity', remote_identity, ['body']);
  const all = [...rules.flatMap((rule) => rule.when ?? []), ...(remoteIdentity ? [remoteIdentity] : [])];
  return {
    definition,
    rules,
    remoteIdentity,
    faults: [...set.faults, ...costFaults('/classify', costOf(all)), ...proofFaults(definition)],
  };
}

/** Redirects, timeouts, throttles and server errors say nothing of an effect; a profile may call them final, never a success (3.5). */
function provesNothing(status: number): boolean {
  return (status >= 300 && status < 400) || status === 408 || status === 425 || status === 429 || status >= 500;
}

/** Statuses that can mean `not begun`; a success, a redirect, a time-out and a breakdown on the way cannot, whatever a profile says. */
function mayPass(status: number): boolean {
  return (status >= 400 && status < 500 && status !== 408) || status === 503;
}

interface Bound {
  readonly breaks: (status: number) => boolean;
  readonly expected: string;
  readonly hint: string;
}
const BOUNDS: Readonly<Partial<Record<PlannedRule['then'], Bound>>> = {
  confirmed: {
    breaks: provesNothing,
    expected: 'a status that shows an effect',
    hint: '3xx, 408, 425, 429 and 5xx prove no success; leave them out',
  },
  refused_for_now: {
    breaks: (status) => !mayPass(status),
    expected: 'a status that refuses before anything is done',
    hint: '4xx but 408, and 503; after any other one nobody knows, and nothing is sent again',
  },
};

function proofFaults({ classify }: CalloutProfile): readonly DefinitionFault[] {
  return classify.flatMap(({ status, then }, at): DefinitionFault[] => {
    const bound = BOUNDS[then];
    const found = bound === undefined ? [] : status.filter(bound.breaks);
    if (bound === undefined || found.length === 0) return [];
    const { expected, hint } = bound;
    return [definitionFault('rule-contradicts', `/classify/${at}/status`, { expected, found: found.join(', '), hint })];
  });
}
