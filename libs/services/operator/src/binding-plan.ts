import type { JsonObject } from '@connector/kernel/jcs';
import type { BindingState } from '@connector/catalog/model/installation/binding';
import type { Plan } from './plan';

export const BINDING_VERBS = ['activate', 'retire', 'fail', 'close-reference', 'decide-retention'] as const;
export type BindingVerb = (typeof BINDING_VERBS)[number];

interface Words {
  /** null: in whatever state the binding is. */
  readonly from: BindingState | null;
  readonly steps: readonly string[];
  readonly then: readonly string[];
  readonly wayBack: string;
}

const WORDS: Readonly<Record<BindingVerb, Words>> = {
  activate: {
    from: 'STAGED',
    steps: [
      'STAGED -> ACTIVE under the next ownership epoch; what was ACTIVE for the capability drains',
      'the catalog revision rises by one',
    ],
    then: ['new work goes to it', 'what the one before it began, it ends there: it drains until nothing refers to it'],
    wayBack: 'stage the release from before, and activate it',
  },
  retire: {
    from: 'DRAINING',
    steps: ['DRAINING -> RETIRED, if nothing refers to it any more'],
    then: ['nothing is ever sent to it again'],
    wayBack: 'none: stage the release anew',
  },
  fail: {
    from: 'STAGED',
    steps: ['STAGED -> FAILED'],
    then: ['it can never be activated; what serves is not touched'],
    wayBack: 'none: stage the release anew',
  },
  'close-reference': {
    from: null,
    steps: ['the reference is closed, in the name of whoever opened it'],
    then: ['the binding is kept for it no more: a draining one retires with its last reference', 'what still relies on it is not asked'],
    wayBack: 'none: a reference that was closed is not opened again; another one is',
  },
  'decide-retention': {
    from: 'DRAINING',
    steps: [
      'the decision stands beside the binding, with your name and your reason',
      'no open reference keeps it from being RETIRED any more',
    ],
    then: ['what still relies on it finds nobody that serves', 'a removal that waits for it goes on by itself'],
    wayBack: 'none: a decision stands for ever; stage the release anew',
  },
};

/** The state that a binding must have for the verb; null where it may have any. */
export const stateFor = (verb: BindingVerb): BindingState | null => WORDS[verb].from;

/** `bound`: the ownership epoch that an activation follows (cat:BIND-07), the reference that is closed; the others bind the state alone. */
export function bindingPlan(verb: BindingVerb, binding: string, bound: JsonObject): Plan {
  const { from, steps, then, wayBack } = WORDS[verb];
  return {
    ...{ schema: 'connector.plan/v1', verb: `bindings.${verb}`, subject: binding, rung: 2 },
    expected: { ...(from === null ? {} : { state: from }), ...bound },
    steps,
    then,
    way_back: [wayBack],
  };
}
