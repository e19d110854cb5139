import type { DocumentFault, DocumentFaults } from '@connector/kernel/document-fault';
import type { Place } from '@connector/catalog/model/faults';
import { listOf, type Members, textOf } from '../members';

/** As a check made them, or as a problem document has them: then the pointer begins with the document. */
export type ShownFault = DocumentFault & Partial<{ readonly hint: string }> & (Place | { readonly document?: undefined });

/** Every fault of a document with its place, what was expected and found, and the rule (experience 5.2). */
export function renderFaults(name: string, { faults, more }: DocumentFaults<ShownFault>, code: string): readonly string[] {
  const count = faults.length + more;
  return [
    `${name} has ${count} ${count === 1 ? 'fault' : 'faults'}.   ${code}`,
    ...faults.flatMap((fault) => [
      '',
      `  ${placeOf(fault)}   ${fault.code} · ${fault.rule}`,
      `    Expected ${fault.expected}`,
      `    Found    ${fault.found}`,
      ...(fault.hint === undefined ? [] : [`    Hint     ${fault.hint}`]),
    ]),
    ...(more === 0 ? [] : ['', `  and ${more} more`]),
  ];
}

function placeOf(fault: ShownFault): string {
  const within = fault.pointer === '' ? '(the whole document)' : fault.pointer;
  if (fault.document === undefined) return within;
  return fault.document === 'behavior' ? `behavior of ${fault.component} ${within}` : `${fault.document} ${within}`;
}

/** The faults of a problem document that lists what is wrong with a document; undefined where it lists plain fields, or nothing. */
export function faultsIn(problem: Members): DocumentFaults | undefined {
  const errors = listOf(problem['errors']);
  if (errors.length === 0 || errors.some(({ rule }) => typeof rule !== 'string')) return undefined;
  const faults = errors.map((error) => ({
    ...{ pointer: textOf(error['pointer']), code: textOf(error['code']), rule: textOf(error['rule']) },
    ...{ expected: textOf(error['expected']), found: textOf(error['found']) },
  }));
  return { faults, more: Number(problem['errors_more'] ?? 0) };
}
