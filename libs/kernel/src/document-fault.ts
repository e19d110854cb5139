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

/** Characters of the input that are repeated at most: a digest is a word. */
export const WORD_MAX = 80;

/** At most a word of the input, in ASCII: a lookalike letter shows as its number. */
export function wordOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  if (value.length > WORD_MAX) return `a text of ${value.length} characters`;
  return JSON.stringify(value).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
