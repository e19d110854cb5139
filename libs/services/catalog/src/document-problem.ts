import type { DocumentFault, DocumentFaults } from '@connector/kernel/document-fault';
import { HttpProblem } from '@connector/platform/host/problem';

/** The faults of a document that somebody wrote, together; nothing was written. `under`: where the document stands in the body. */
export function documentProblem(code: string, name: string, under: string, { faults, more }: DocumentFaults<Fault>): HttpProblem {
  const count = faults.length + more;
  return new HttpProblem({
    status: 422,
    code,
    detail: `The ${name} has ${count === 1 ? '1 fault' : `${count} faults`}; nothing was written.`,
    errors: faults.map((fault) => ({ ...fault, pointer: `${under}${fault.pointer}`, detail: detailOf(fault) })),
    errorsMore: more,
  });
}

type Fault = DocumentFault & { readonly hint?: string };

function detailOf({ code, expected, found, hint }: Fault): string {
  return `${code}: expected ${expected}, found ${found}${hint === undefined ? '' : `; ${hint}`}`;
}
