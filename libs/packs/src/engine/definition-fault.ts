import type { DocumentFault } from '@connector/kernel/document-fault';
import { EXPRESSION_FAULTS, type ExpressionFaultCode } from './expression-check';

/** Why a definition is refused: of its bytes, its shape, an expression, or of what its parts say together. */
export const DEFINITION_FAULTS = [
  ...EXPRESSION_FAULTS,
  'not-json',
  'too-large',
  'shape-wrong',
  'reference-unknown',
  'duplicate-definition',
  'header-reserved',
  'rule-contradicts',
] as const;
export type DefinitionFaultCode = ExpressionFaultCode | (typeof DEFINITION_FAULTS)[number];

/** One finding for the author; `pointer` is a JSON pointer into what was given. */
export interface DefinitionFault extends DocumentFault {
  readonly code: DefinitionFaultCode;
  readonly hint: string;
}

const EXPRESSIONS = 'HOUSE:packs:Expressions';
const RULES: Readonly<Record<DefinitionFaultCode, string>> = {
  'expression-too-long': EXPRESSIONS,
  'expression-unreadable': EXPRESSIONS,
  'name-unknown': EXPRESSIONS,
  'function-refused': EXPRESSIONS,
  'literal-refused': EXPRESSIONS,
  'loops-too-deep': EXPRESSIONS,
  'pattern-refused': EXPRESSIONS,
  'cost-over-ceiling': EXPRESSIONS,
  'not-json': 'HOUSE:packs:StrictJson',
  'too-large': 'HOUSE:packs:Limits',
  'shape-wrong': 'con:DEFN-F',
  'reference-unknown': 'con:INV-25',
  'duplicate-definition': 'con:DEFN-K',
  'header-reserved': 'con:INV-18',
  'rule-contradicts': 'con:DEFN-F',
};
/** What a shape or a contradiction breaks, where the place has a rule of its own. */
const BY_PLACE: readonly (readonly [RegExp, string])[] = [
  [/\/ordering(\/|$)/, 'con:ORD-08'],
  [/\/transport_key_header$/, 'con:ADM-P'],
  [/\/classify\/\d+\/status$/, 'con:INV-24'],
];
const OF_A_PLACE: ReadonlySet<DefinitionFaultCode> = new Set(['shape-wrong', 'rule-contradicts']);

const POINTER_CHARS_MAX = 400;
const WORDS_MAX = 120;

export function definitionFault(
  code: DefinitionFaultCode,
  pointer: string,
  { expected, found, hint }: Pick<DefinitionFault, 'expected' | 'found' | 'hint'>,
): DefinitionFault {
  const place = OF_A_PLACE.has(code) ? BY_PLACE.find(([where]) => where.test(pointer)) : undefined;
  return { pointer: shortened(pointer), code, rule: place?.[1] ?? RULES[code], expected, found: cut(found), hint };
}

/** A member with a name of any length is pointed at by the object that has it. */
function shortened(pointer: string): string {
  return pointer.length <= POINTER_CHARS_MAX ? pointer : pointer.slice(0, pointer.lastIndexOf('/', POINTER_CHARS_MAX));
}

function cut(text: string): string {
  return text.length <= WORDS_MAX ? text : `a text of ${text.length} characters`;
}
