import type { AttemptId } from '@connector/kernel/ids';
import { barrierText, type OwnedBarrier } from '@connector/connector/model/serving/barriers';
import type { Plan } from './plan';

export const holds = (barriers: readonly OwnedBarrier[]) => ({ barriers: barriers.map(barrierText).join('; ') || 'none' });

function authoredAgain({ owner, organization, installation = '' }: OwnedBarrier): string {
  return owner === 'packs'
    ? `${organization} may register packs again`
    : `${installation} of ${organization} may be authored again: its publications, its bindings, its membership`;
}

/** Made of the attempt and what it holds alone. */
export function releasePlan(attempt: AttemptId, barriers: readonly OwnedBarrier[]): Plan {
  return {
    ...{ schema: 'connector.plan/v1', verb: 'barriers.release', subject: attempt, rung: 2 },
    expected: holds(barriers),
    steps: [
      `fence the run of ${attempt} off: from here on it can activate nothing any more`,
      ...barriers.map((barrier) => `release the barrier of ${barrierText(barrier)}`),
    ],
    then: [
      ...barriers.map(authoredAgain),
      'what was refused meanwhile is sent again by whoever wants it; nothing is sent by itself',
      'a run of another attempt is fenced off as well: asked for again with its own ids, it goes on',
    ],
    way_back: ['none: the activation is asked for again, with the same ids, and holds them anew'],
  };
}
