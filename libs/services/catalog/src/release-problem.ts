import type { PlacedFault } from '@connector/catalog/model/faults';
import type { HttpProblem } from '@connector/platform/host/problem';
import { documentProblem } from './document-problem';

/** Every fault of a release together; each pointer begins with the document that it points into. */
export function releaseProblem({ faults, more }: { readonly faults: readonly PlacedFault[]; readonly more: number }): HttpProblem {
  const placed = faults.map((fault) => {
    const { code, rule, expected, found } = fault;
    return { pointer: `${rootOf(fault)}${fault.pointer}`, code, rule, expected, found };
  });
  return documentProblem('HOUSE:catalog:ReleaseFaulty', 'release', '', { faults: placed, more });
}

function rootOf(fault: PlacedFault): string {
  return fault.document === 'behavior' ? `/behaviors/${fault.component}` : `/${fault.document}`;
}
