/**
 * One thing wrong with a document that somebody wrote. `pointer` is a JSON pointer into it, `rule` the requirement that it breaks: the id of a row,
 * or a rule of the house; `found` never quotes more than a word of the input.
 */
export interface DocumentFault {
  readonly pointer: string;
  /** Stable, for programs. */
  readonly code: string;
  readonly rule: string;
  readonly expected: string;
  readonly found: string;
}

/** What one answer lists; the rest is counted. */
export const DOCUMENT_FAULTS_MAX = 100;

export interface DocumentFaults<F extends DocumentFault = DocumentFault> {
  readonly faults: readonly F[];
  /** How many there are beyond those that are listed. */
  readonly more: number;
}

export function faultsListed<F>(all: readonly F[]): { readonly faults: readonly F[]; readonly more: number } {
  return { faults: all.slice(0, DOCUMENT_FAULTS_MAX), more: Math.max(0, all.length - DOCUMENT_FAULTS_MAX) };
}
