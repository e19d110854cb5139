import { isCelError, type parse, run } from '@bufbuild/cel';
import { FUNCTION_COST, LOOP_GUARDS, MATCH_GUARD } from './cel-functions';
import { LITERAL_CHARS_MAX, LITERAL_MEMBERS_MAX, LOOP_DEPTH_MAX, LOOP_MEMBERS_MAX, PATTERN_WEIGHT_MAX } from './limits';

export type Expr = ReturnType<typeof parse>['expr'];
type Case<K extends Expr['exprKind']['case']> = Extract<Expr['exprKind'], { case: K }> extends { value: infer V } ? V : never;
type Call = Case<'callExpr'>;
type Loop = Case<'comprehensionExpr'>;
type Constant = Case<'constExpr'>;

/** Why publication refuses an expression. */
export const EXPRESSION_FAULTS = [
  'expression-too-long',
  'expression-unreadable',
  'name-unknown',
  'function-refused',
  'literal-refused',
  'loops-too-deep',
  'pattern-refused',
  'cost-over-ceiling',
] as const;
export type ExpressionFaultCode = (typeof EXPRESSION_FAULTS)[number];

export class ExpressionFault extends Error {
  constructor(
    readonly code: ExpressionFaultCode,
    readonly expected: string,
    readonly found: string,
    readonly hint: string,
  ) {
    super(`${code}: expected ${expected}, found ${found}`);
  }
}

interface Scope {
  readonly names: ReadonlySet<string>;
  readonly depth: number;
}

/**
 * Walks a parsed expression once: refuses what is outside the language that packs have, puts the guards around loops and matched texts,
 * and returns the static cost in evaluated nodes (an upper bound, given the guards). ExpressionFault names the first thing refused.
 */
export function checkExpression(expr: Expr, names: readonly string[]): number {
  return costOf(expr, { names: new Set(names), depth: 0 });
}

function costOf(expr: Expr | undefined, scope: Scope): number {
  const kind = expr?.exprKind;
  switch (kind?.case) {
    case 'constExpr':
      return constantCost(kind.value);
    case 'identExpr':
      return nameCost(kind.value.name, scope);
    case 'selectExpr':
      return 1 + costOf(kind.value.operand, scope);
    case 'callExpr':
      return callCost(kind.value, scope);
    case 'listExpr':
      return literalCost(kind.value.elements, scope);
    case 'structExpr':
      return structCost(kind.value, scope);
    case 'comprehensionExpr':
      return loopCost(kind.value, scope);
    default:
      throw new ExpressionFault('expression-unreadable', 'an expression', 'a node without a kind', 'write it again more simply');
  }
}

function constantCost(constant: Constant): number {
  const { case: kind, value } = constant.constantKind;
  if (kind === 'bytesValue' || kind === 'uint64Value') {
    throw new ExpressionFault('literal-refused', 'text, int, double, bool or null', kind, 'JSON has neither bytes nor unsigned integers');
  }
  if (kind === 'stringValue' && value.length > LITERAL_CHARS_MAX) {
    throw new ExpressionFault(
      'literal-refused',
      `a text of at most ${LITERAL_CHARS_MAX} characters`,
      `${value.length}`,
      'shorten the literal',
    );
  }
  if (kind === 'int64Value' && value !== BigInt.asIntN(64, value)) {
    throw new ExpressionFault('literal-refused', 'an integer of 64 bits', 'a longer one', 'compare it as a text');
  }
  return 1;
}

function nameCost(name: string, scope: Scope): number {
  if (scope.names.has(name)) return 1;
  const known = [...scope.names].filter((known) => !known.startsWith('@')).join(', ');
  throw new ExpressionFault('name-unknown', `one of: ${known}`, name, 'texts stand in quotes; a function needs its parentheses');
}

function callCost(call: Call, scope: Scope): number {
  const own = FUNCTION_COST.get(call.function);
  if (own === undefined) {
    const known = [...FUNCTION_COST.keys()].filter((name) => /^[a-z]/.test(name)).join(', ');
    throw new ExpressionFault(
      'function-refused',
      `one of: ${known}, has, and the loops`,
      call.function,
      'there is no clock and no conversion that guesses',
    );
  }
  const args = call.args.reduce((sum, arg) => sum + costOf(arg, scope), call.target === undefined ? 0 : costOf(call.target, scope));
  if (call.function === 'matches') return own + args + matchCost(call);
  if (call.function === '@in') return args + (listSize(call.args[1]) ?? own);
  return own + args;
}

/** The pattern is a literal, so that it is compiled and weighed here; the text that it meets is guarded. */
function matchCost(call: Call): number {
  const [pattern] = call.args;
  const text = pattern === undefined ? undefined : literalText(pattern);
  if (text === undefined || call.target === undefined || call.args.length !== 1) {
    throw new ExpressionFault(
      'pattern-refused',
      "text.matches('literal pattern')",
      'a pattern that is computed',
      'write the pattern as a literal',
    );
  }
  const weight = weightOf(text);
  if (weight > PATTERN_WEIGHT_MAX) {
    throw new ExpressionFault('pattern-refused', `a weight of at most ${PATTERN_WEIGHT_MAX}`, `${weight}`, 'lower the repetition counts');
  }
  if (isCelError(run("''.matches(pattern)", { pattern: text }))) {
    throw new ExpressionFault('pattern-refused', 'an RE2 pattern', 'one that RE2 does not read', 'no back references and no look-around');
  }
  call.target = guarded(call.target, MATCH_GUARD);
  return 20 * weight;
}

function weightOf(pattern: string): number {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map((match) => Math.max(Number(match[1]), Number(match[2] ?? 0), 1));
  return counts.reduce((product, count) => product * count, Math.max(pattern.length, 1));
}

function literalText(expr: Expr): string | undefined {
  if (expr.exprKind.case !== 'constExpr') return undefined;
  const { case: kind, value } = expr.exprKind.value.constantKind;
  return kind === 'stringValue' ? value : undefined;
}

function literalCost(elements: readonly (Expr | undefined)[], scope: Scope): number {
  if (elements.length > LITERAL_MEMBERS_MAX) {
    throw new ExpressionFault(
      'literal-refused',
      `at most ${LITERAL_MEMBERS_MAX} members`,
      `${elements.length}`,
      'put the list into the data',
    );
  }
  return elements.reduce((sum, element) => sum + costOf(element, scope), 1);
}

function structCost(struct: Case<'structExpr'>, scope: Scope): number {
  if (struct.messageName !== '') {
    throw new ExpressionFault('literal-refused', 'a map', `a message ${struct.messageName}`, "write {'member': value}");
  }
  const keys = struct.entries.map((entry) => (entry.keyKind.case === 'mapKey' ? entry.keyKind.value : undefined));
  return (
    literalCost(keys, scope) +
    literalCost(
      struct.entries.map((entry) => entry.value),
      scope,
    )
  );
}

function listSize(expr: Expr | undefined): number | undefined {
  return expr?.exprKind.case === 'listExpr' ? expr.exprKind.value.elements.length : undefined;
}

function loopCost(loop: Loop, scope: Scope): number {
  const guard = LOOP_GUARDS[scope.depth];
  const membersMax = LOOP_MEMBERS_MAX[scope.depth];
  if (guard === undefined || membersMax === undefined || loop.iterRange === undefined) {
    throw new ExpressionFault(
      'loops-too-deep',
      `loops nested at most ${LOOP_DEPTH_MAX}`,
      `${scope.depth + 1}`,
      'reach the inner list with one loop',
    );
  }
  const members = listSize(loop.iterRange) ?? membersMax;
  const range = costOf(loop.iterRange, scope);
  // The guard makes the estimate true: a longer range is refused when it is met.
  loop.iterRange = guarded(loop.iterRange, guard);
  const outer = { names: new Set([...scope.names, loop.accuVar]), depth: scope.depth };
  const inner = { names: new Set([...outer.names, loop.iterVar]), depth: scope.depth + 1 };
  const step = costOf(loop.loopCondition, inner) + costOf(loop.loopStep, inner);
  return range + costOf(loop.accuInit, scope) + members * step + costOf(loop.result, outer);
}

function guarded(expr: Expr, guard: string): Expr {
  return { ...expr, exprKind: { case: 'callExpr', value: { $typeName: 'cel.expr.Expr.Call', function: guard, args: [expr] } } };
}
