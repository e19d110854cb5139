import { HttpProblem } from '@connector/platform/host/problem';
import type { OwnerUnavailable } from './epochs';

/** Another owner gave no answer: that is no outcome of this request, so it is a problem, and the same request may be sent again. */
export function answered<O extends { readonly kind: string }>(outcome: O | OwnerUnavailable): O {
  if (!isUnavailable(outcome)) return outcome;
  throw new HttpProblem({
    status: 503,
    code: 'HOUSE:coordinator:OwnerUnavailable',
    detail: `${outcome.owner} gave no answer; nothing was decided.`,
    headers: { 'retry-after': '1' },
    nextSteps: ['send the same request again'],
  });
}

function isUnavailable(outcome: { readonly kind: string } | OwnerUnavailable): outcome is OwnerUnavailable {
  return outcome.kind === 'unavailable';
}
