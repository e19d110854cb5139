import type { BindingState } from '@connector/catalog/model/installation/binding';
import type { Plan } from './plan';

export const BINDING_VERBS = ['activate', 'retire', 'fail'] as const;
export type BindingVerb = (typeof BINDING_VERBS)[number];

interface Words {
  readonly from: BindingState;
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
};

/** The state that a binding must have for the verb. */
export const stateFor = (verb: BindingVerb): BindingState => WORDS[verb].from;

/** `epoch`: of the capability when it was planned; an activation takes the next one (cat:BIND-07), the others name none. */
export function bindingPlan(verb: BindingVerb, binding: string, epoch: string | undefined): Plan {
  const { from, steps, then, wayBack } = WORDS[verb];
  return {
    ...{ schema: 'connector.plan/v1', verb: `bindings.${verb}`, subject: binding, rung: 2 },
    expected: { state: from, ...(epoch === undefined ? {} : { ownership_epoch: epoch }) },
    steps,
    then,
    way_back: [wayBack],
  };
}
