import canonicalize from 'canonicalize';
import { InputFault } from './faults';

/** What JSON can say, and nothing else: no undefined, no Date, no bigint, no class instance. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: Json;
}

/** Containers within containers; the strict parser takes the same number, so what we write can be read. */
export const JSON_DEPTH_MAX = 64;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Well-formed UTF-16: every surrogate has its other half. Anything else has no UTF-8 form. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}

function refuse(at: string, what: string): never {
  throw new InputFault('HOUSE:kernel:NotJson', `${at}: ${what}`);
}

function checkText(text: string, at: string): void {
  if (!isWellFormed(text)) refuse(at, 'an unpaired surrogate');
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function checkArray(items: readonly unknown[], at: string, depth: number): void {
  // By index: a hole is skipped by forEach and by the serializer, and would vanish without a trace.
  for (let index = 0; index < items.length; index += 1) check(items[index], `${at}/${index}`, depth);
}

function checkObject(value: object, at: string, depth: number): void {
  if (!isPlainObject(value)) refuse(at, 'an instance of a class');
  if (Object.getOwnPropertySymbols(value).length > 0) refuse(at, 'a symbol for a member');
  for (const [member, item] of Object.entries(value)) {
    checkText(member, at);
    check(item, `${at}/${member}`, depth);
  }
}

function check(value: unknown, at: string, depth: number): void {
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'string') return checkText(value, at);
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : refuse(at, 'a number that is not finite');
  if (typeof value !== 'object') return refuse(at, `${typeof value} is not JSON`);
  if (depth === JSON_DEPTH_MAX) return refuse(at, `more than ${JSON_DEPTH_MAX} levels`);
  return Array.isArray(value) ? checkArray(value, at, depth + 1) : checkObject(value, at, depth + 1);
}

/**
 * The canonical bytes of RFC 8785. The types promise JSON; the check is for values that only look like it (a hole, a `toJSON`, half a
 * surrogate pair), because the serializer would drop or replace them in silence. InputFault names the place.
 */
export function jcs(value: Json): Buffer {
  check(value, '', 0);
  return Buffer.from(canonicalize(value) ?? refuse('', 'nothing to write'), 'utf8');
}
