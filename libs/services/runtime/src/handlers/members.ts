import type { Json } from '@connector/kernel/jcs';

/** One member of an input as it is; undefined where there is none. What it may be, the asking handler says. */
export function member(value: Json, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

export function textMember(value: Json, name: string): string | undefined {
  const held = member(value, name);
  return typeof held === 'string' && held !== '' ? held : undefined;
}

/** A count that JSON and a double hold exactly. */
export function countMember(value: Json, name: string): number | undefined {
  const held = member(value, name);
  return typeof held === 'number' && Number.isSafeInteger(held) && held >= 0 ? held : undefined;
}
