import {
  type CelFunc,
  type CelList,
  type CelValue,
  CelScalar,
  celFunc,
  celList,
  celMethod,
  isCelList,
  isCelMap,
  listType,
  mapType,
} from '@bufbuild/cel';
import { LIST_MEMBERS_MAX, LOOP_MEMBERS_MAX, MATCHED_UNITS_MAX, NEEDLE_UNITS_MAX, TEXT_UNITS_MAX } from './limits';
import { LimitError, shortList, shortText } from './values';

const { BOOL, DOUBLE, DYN, INT, STRING } = CelScalar;
const LIST = listType(DYN);
const MAP = mapType(DYN, DYN);

/** What an expression may call, with its cost in nodes. Everything else (time, bytes, types, conversions that guess) is refused. */
export const FUNCTION_COST: ReadonlyMap<string, number> = new Map([
  ...['!_', '-_', '_-_', '_*_', '_/_', '_%_', '_<_', '_<=_', '_>_', '_>=_', '_==_', '_!=_'].map((name) => [name, 1] as const),
  ...['_&&_', '_||_', '_?_:_', '_[_]', '@not_strictly_false'].map((name) => [name, 1] as const),
  ['_+_', 5],
  ['@in', LIST_MEMBERS_MAX],
  ['size', 200],
  ['contains', 200],
  ['startsWith', 20],
  ['endsWith', 20],
  ['matches', 200],
  ['int', 5],
  ['string', 5],
]);

/** Names that only the engine writes into an expression: the guards that publication puts around loops and matched texts. */
export const LOOP_GUARDS = ['@loop1', '@loop2'] as const;
export const MATCH_GUARD = '@matched';

const DECIMAL = /^(0|-?[1-9][0-9]{0,18})$/;

function intOf(text: string): bigint {
  if (!DECIMAL.test(text)) throw new LimitError('wrong-type', 'a text that is not a canonical decimal integer');
  const value = BigInt(text);
  if (value !== BigInt.asIntN(64, value)) throw new LimitError('out-of-range', 'an integer beyond 64 bits');
  return value;
}

/** Only scalars are compared: a deep compare has the size of the body for its cost, whatever the expression looks like. */
function same(left: CelValue, right: CelValue): boolean {
  if (isCelList(left) || isCelMap(left) || isCelList(right) || isCelMap(right))
    throw new LimitError('wrong-type', 'only scalars are compared');
  return comparable(left) === comparable(right);
}

/** An int and a double of one value are equal, as CEL says. */
function comparable(value: CelValue): CelValue {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
}

/** Flat, because the library's own chain of lists overflows the stack after some thousand steps of `map` or `filter`. */
function joined(left: CelList, right: CelList): CelList {
  const both = [...left, ...right];
  if (both.length > LIST_MEMBERS_MAX) throw new LimitError('too-large', `a list over ${LIST_MEMBERS_MAX} members`);
  return celList(both);
}

function codePoints(text: string): bigint {
  return BigInt([...shortText(text, TEXT_UNITS_MAX)].length);
}

function haystack(text: string): string {
  return shortText(text, TEXT_UNITS_MAX);
}

function needle(text: string): string {
  return shortText(text, NEEDLE_UNITS_MAX);
}

/** They take the place of the library's functions of the same name and types. */
export const BOUNDED_FUNCTIONS: CelFunc[] = [
  celFunc('_==_', [DYN, DYN], BOOL, (left, right) => same(left, right)),
  celFunc('_!=_', [DYN, DYN], BOOL, (left, right) => !same(left, right)),
  celFunc('@in', [DYN, LIST], BOOL, (value, list) => [...shortList(list)].some((member) => same(member, value))),
  celFunc('_+_', [STRING, STRING], STRING, (left, right) => shortText(left + right, TEXT_UNITS_MAX)),
  celFunc('_+_', [LIST, LIST], LIST, joined),
  celFunc('size', [STRING], INT, codePoints),
  celMethod('size', STRING, [], INT, function () {
    return codePoints(this);
  }),
  celMethod('contains', STRING, [STRING], BOOL, function (part) {
    return haystack(this).includes(needle(part));
  }),
  celMethod('startsWith', STRING, [STRING], BOOL, function (part) {
    return this.startsWith(part);
  }),
  celMethod('endsWith', STRING, [STRING], BOOL, function (part) {
    return this.endsWith(part);
  }),
  celFunc('int', [STRING], INT, intOf),
  celFunc('int', [DOUBLE], INT, () => {
    throw new LimitError('wrong-type', 'a number with a fraction is not made an integer');
  }),
  celFunc('string', [DOUBLE], STRING, () => {
    throw new LimitError('wrong-type', 'a number with a fraction has no one text');
  }),
  celFunc(MATCH_GUARD, [STRING], STRING, (text) => shortText(text, MATCHED_UNITS_MAX)),
  ...LOOP_GUARDS.flatMap((name, depth) => [
    celFunc(name, [LIST], LIST, (range) => shortList(range, LOOP_MEMBERS_MAX[depth])),
    celFunc(name, [MAP], MAP, (range) => shortList(range, LOOP_MEMBERS_MAX[depth])),
  ]),
];
