import type { Digest } from '@connector/kernel/digest';
import { compareTuples } from '@connector/kernel/document-order';
import { type FaultSink, Said, step } from './faults';
import type { Identifier } from './identifier';
import { UINT32_MAX } from './limits';

/**
 * The small rules that documents of the App authority are made of. Unlike a JSON Schema a rule says which code and which requirement its refusal
 * has, and a refusal stops nothing: the whole document is walked and every fault told.
 */
export interface Rule<T> {
  admits(node: unknown, at: string, sink: FaultSink): node is T;
}
export type RuleType<R> = R extends Rule<infer T> ? T : never;
type Rules = Readonly<Record<string, Rule<unknown>>>;
type Flat<T> = { readonly [K in keyof T]: T[K] };
type Members = Readonly<Record<string, unknown>>;
type KeyOf = (item: unknown) => readonly string[] | undefined;

/** The code of an object or list that has another shape, and the requirement. */
export interface Closed {
  readonly code: string;
  readonly rule: string;
}

export function isObject(node: unknown): node is Members {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}

export function leaf<T>(code: string, rule: string, expected: string, is: (node: unknown) => node is T): Rule<T> {
  return {
    admits: (node, at, sink): node is T => {
      if (is(node)) return true;
      sink(at, code, rule, expected, node);
      return false;
    },
  };
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;
export const digest = leaf('DIGEST_NOT_CANONICAL', 'ID-16', 'sha256: and 64 lower-case hex digits', isDigest);
export function isDigest(node: unknown): node is Digest {
  return typeof node === 'string' && DIGEST.test(node);
}

export function id<T extends string>(name: Identifier<T>, rule: string): Rule<T> {
  return leaf('ID_NOT_CANONICAL', rule, name.expected, name.is);
}

export function word<const T extends string>(code: string, rule: string, ...words: readonly T[]): Rule<T> {
  const known: ReadonlySet<unknown> = new Set(words);
  return leaf(code, rule, words.join(' or '), (node): node is T => known.has(node));
}

/** JSON has no integers: 1.0 is refused as bytes that are not canonical, "1" here. */
export function uint32(minimum: 0 | 1, rule: string): Rule<number> {
  const is = (node: unknown): node is number => typeof node === 'number' && Number.isInteger(node) && node >= minimum && node <= UINT32_MAX;
  return leaf('NUMBER_RANGE', rule, `an integer from ${minimum} to ${UINT32_MAX}`, is);
}

/** null is never a value (cat:A-13): it is the wrong shape, whatever the member. */
function admitsInside(rule: Rule<unknown>, node: unknown, at: string, shape: Closed, sink: FaultSink): boolean {
  if (node !== null) return rule.admits(node, at, sink);
  sink(at, shape.code, shape.rule, 'a value; null is never one', null);
  return false;
}

export function listOf<T>(shape: Closed, item: Rule<T>): Rule<readonly T[]> {
  return {
    admits: (node, at, sink): node is readonly T[] => {
      if (!Array.isArray(node)) {
        sink(at, shape.code, shape.rule, 'a list', node);
        return false;
      }
      // Every item is walked: a first fault must not hide the second.
      return node.reduce<boolean>((good, one, index) => admitsInside(item, one, step(at, index), shape, sink) && good, true);
    },
  };
}

const UNKNOWN = new Said('a member that is not known');
const AGAIN = new Said('the same again');
const BEHIND_GREATER = new Said('one that belongs before the item above');

/** Where the order of a set breaks, and where something comes again. `keyOf` answers undefined for what has no readable key. */
function checkSet(items: readonly unknown[], keyOf: KeyOf, rule: string, at: string, sink: FaultSink): boolean {
  const seen = new Set<string>();
  let last: readonly string[] | undefined;
  let good = true;
  items.forEach((item, index) => {
    const key = keyOf(item);
    if (key === undefined) return;
    const glued = key.length === 1 ? String(key[0]) : JSON.stringify(key);
    const again = seen.has(glued);
    const behind = !again && last !== undefined && compareTuples(last, key) > 0;
    if (again) sink(at, 'DUPLICATE', rule, 'each once', AGAIN, index);
    if (behind) sink(at, 'SET_NOT_CANONICAL', rule, 'bytewise order of the key', BEHIND_GREATER, index);
    good = good && !again && !behind;
    seen.add(glued);
    last = key;
  });
  return good;
}

/** A key made of members that are texts. */
export function keyOfMembers(...names: readonly string[]): KeyOf {
  return (item) => {
    const parts = isObject(item) ? names.map((name) => item[name]).filter((part) => typeof part === 'string') : [];
    return parts.length === names.length ? parts : undefined;
  };
}

export function keyOfText(item: unknown): readonly string[] | undefined {
  return typeof item === 'string' ? [item] : undefined;
}

/** A list that means a set: in the one order of its keys, nothing twice; it is refused otherwise, never put in order (cat:DIG-02, MAN-22). */
export function setOf<T>(shape: Closed, item: Rule<T>, keyOf: KeyOf, rule: string): Rule<readonly T[]> {
  const list = listOf(shape, item);
  return {
    admits: (node, at, sink): node is readonly T[] => {
      const good = list.admits(node, at, sink);
      return Array.isArray(node) && checkSet(node, keyOf, rule, at, sink) && good;
    },
  };
}

/** A rule and what only the whole object can be asked; the question comes also when the object has faults, so it reads nothing unseen. */
export function also<T>(rule: Rule<T>, ask: (node: Members, at: string, sink: FaultSink) => boolean): Rule<T> {
  return {
    admits: (node, at, sink): node is T => {
      const good = rule.admits(node, at, sink);
      return (!isObject(node) || ask(node, at, sink)) && good;
    },
  };
}

/** Exactly these members; the optional ones may be missing. */
export function closed<R extends Rules, O extends Rules = Record<never, never>>(
  shape: Closed,
  required: R,
  optional?: O,
): Rule<Flat<{ [K in keyof R]: RuleType<R[K]> } & { [K in keyof O]?: RuleType<O[K]> }>> {
  type T = Flat<{ [K in keyof R]: RuleType<R[K]> } & { [K in keyof O]?: RuleType<O[K]> }>;
  const known = new Map(Object.entries({ ...required, ...optional }));
  const needed = Object.keys(required);
  return {
    admits: (node, at, sink): node is T => {
      if (!isObject(node)) {
        sink(at, shape.code, shape.rule, 'an object', node);
        return false;
      }
      let good = true;
      for (const name of needed) {
        if (node[name] !== undefined) continue;
        good = false;
        sink(at, shape.code, shape.rule, `the member ${name}`, undefined, name);
      }
      for (const [name, value] of Object.entries(node)) {
        const rule = known.get(name);
        if (rule === undefined) sink(at, shape.code, shape.rule, 'no member of this name', UNKNOWN, name);
        good = rule !== undefined && admitsInside(rule, value, step(at, name), shape, sink) && good;
      }
      return good;
    },
  };
}
