import type { CelInput, CelValue } from '@bufbuild/cel';
import { isCelList, isCelMap } from '@bufbuild/cel';
import type { Json } from '@connector/kernel/jcs';
import { LIST_MEMBERS_MAX, RESULT_DEPTH_MAX, RESULT_VALUES_MAX, TEXT_UNITS_MAX } from './limits';

/** Why a value of an expression is not what its place needs, or why there is none. Closed: it becomes part of a refusal's code. */
export const FAILURES = ['member-missing', 'wrong-type', 'out-of-range', 'too-large', 'not-computable'] as const;
export type Failure = (typeof FAILURES)[number];

/**
 * A bound that only a value shows; thrown inside the evaluator, handed back as a value by `evaluate`. The message begins with the failure,
 * because the library's `&&` and `||` keep of an error nothing but its message.
 */
export class LimitError extends Error {
  constructor(
    readonly failure: Failure,
    readonly what: string,
  ) {
    super(`${failure}: ${what}`);
  }
}

/** JSON as CEL sees it. An integer that a double holds exactly is an `int`; any other number is a `double`; objects are maps. */
export function celOf(value: Json): CelInput {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) return value.map(celOf);
  return new Map(Object.entries(value).map(([member, item]) => [member, celOf(item)]));
}

export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** The JSON of a value that an expression made. LimitError where JSON cannot say it exactly, or where it is over a bound. */
export function jsonOf(value: CelValue): Json {
  let left = RESULT_VALUES_MAX;
  const walk = (item: CelValue, depth: number): Json => {
    left -= 1;
    if (left < 0) throw new LimitError('too-large', `more than ${RESULT_VALUES_MAX} values`);
    if (depth > RESULT_DEPTH_MAX) throw new LimitError('too-large', `more than ${RESULT_DEPTH_MAX} levels`);
    if (isCelList(item)) return [...item].map((member) => walk(member, depth + 1));
    if (isCelMap(item)) return Object.fromEntries([...item.entries()].map(([key, member]) => [memberName(key), walk(member, depth + 1)]));
    return scalarOf(item);
  };
  return walk(value, 0);
}

function memberName(key: unknown): string {
  if (typeof key !== 'string' || key === '__proto__')
    throw new LimitError('wrong-type', 'a member name that JSON objects cannot have here');
  return key;
}

function scalarOf(value: CelValue): Json {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return shortText(value, TEXT_UNITS_MAX);
  if (typeof value === 'bigint') return safeInteger(value);
  if (typeof value !== 'number') throw new LimitError('wrong-type', 'a value that JSON does not have');
  if (!Number.isFinite(value)) throw new LimitError('out-of-range', 'a number that is not finite');
  return value;
}

function safeInteger(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new LimitError('out-of-range', 'an integer beyond 2^53-1; make it a string');
  return number;
}

export function shortText(text: string, unitsMax: number): string {
  if (text.length > unitsMax) throw new LimitError('too-large', `a text over ${unitsMax} units`);
  return text;
}

export function shortList<T extends { readonly size: number }>(list: T, membersMax: number = LIST_MEMBERS_MAX): T {
  if (list.size > membersMax) throw new LimitError('too-large', `a list over ${membersMax} members`);
  return list;
}
