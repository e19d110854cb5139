import { type CelInput, type CelValue, celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import { BOUNDED_FUNCTIONS } from './cel-functions';
import { type Expr, checkExpression, ExpressionFault } from './expression-check';
import { BRACKET_DEPTH_MAX, EXPRESSION_CHARS_MAX, EXPRESSION_COST_MAX } from './limits';
import { type Failure, FAILURES } from './values';

/** The variables that a place of a definition offers. */
export type Bindings = Readonly<Record<string, CelInput>>;
export type Evaluated = { readonly kind: 'value'; readonly value: CelValue } | { readonly kind: 'failed'; readonly failure: Failure };

export interface Expression {
  readonly kind: 'expression';
  readonly source: string;
  /** Upper bound of evaluated nodes. */
  readonly cost: number;
  /** Never throws; no clock, no randomness, and work within `cost`. `bindings` has the names that the expression was compiled for. */
  evaluate(bindings: Bindings): Evaluated;
}
export type ExpressionRefused = { readonly kind: 'refused'; readonly fault: ExpressionFault };

/** Parses, bounds and plans an expression over `names`; refused with the first fault, over the ceiling with its estimate. */
export function compileExpression(source: string, names: readonly string[]): Expression | ExpressionRefused {
  try {
    const expr = parsed(source);
    const cost = checkExpression(expr, names);
    if (cost > EXPRESSION_COST_MAX) {
      throw new ExpressionFault(
        'cost-over-ceiling',
        `at most ${EXPRESSION_COST_MAX} nodes`,
        `${cost}`,
        'loop over less, or once instead of twice',
      );
    }
    return planned(source, expr, cost);
  } catch (error) {
    if (error instanceof ExpressionFault) return { kind: 'refused', fault: error };
    throw error;
  }
}

function parsed(source: string): Expr {
  if (source.length > EXPRESSION_CHARS_MAX) {
    throw new ExpressionFault('expression-too-long', `at most ${EXPRESSION_CHARS_MAX} characters`, `${source.length}`, 'split it');
  }
  // Counted before parsing: the parser backtracks, and its time grows with the brackets that stand open.
  if (bracketDepth(source) > BRACKET_DEPTH_MAX) {
    throw new ExpressionFault(
      'expression-unreadable',
      `brackets nested at most ${BRACKET_DEPTH_MAX}`,
      'more',
      'brackets in texts count too',
    );
  }
  try {
    return parse(source).expr;
  } catch (error) {
    const found = error instanceof Error ? error.message.slice(0, 120) : 'an unknown error';
    throw new ExpressionFault('expression-unreadable', 'a CEL expression', found, 'texts in quotes, && and || for and and or');
  }
}

function bracketDepth(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const char of source) {
    if ('([{'.includes(char)) deepest = Math.max(deepest, ++depth);
    if (')]}'.includes(char)) depth -= 1;
  }
  return deepest;
}

const ENV = celEnv({ funcs: BOUNDED_FUNCTIONS });

function planned(source: string, expr: Expr, cost: number): Expression {
  const run = plan(ENV, expr);
  return {
    kind: 'expression',
    source,
    cost,
    evaluate: (bindings) => {
      const value = run(bindings);
      return isCelError(value) ? { kind: 'failed', failure: failureOf(value.message) } : { kind: 'value', value };
    },
  };
}

/** The library tells its errors apart by their words alone; what no line knows is `not-computable`. */
const READINGS: readonly (readonly [RegExp, Failure])[] = [
  [/^field not found|^index out of bounds|^unresolved attribute|^no such key/, 'member-missing'],
  [/overload|type mismatch|^invalid type|^unsupported key type|bool/, 'wrong-type'],
  [/overflow/, 'out-of-range'],
];

function failureOf(message: string): Failure {
  const limit = FAILURES.find((failure) => message.startsWith(`${failure}: `));
  return limit ?? READINGS.find(([words]) => words.test(message))?.[1] ?? 'not-computable';
}
