import type { Ajv, ErrorObject, SchemaObject, ValidateFunction } from 'ajv';
import { BINDING_KINDS, type BindingKind } from './document-binding';
import type { Digest } from './digest';
import type { Json } from './jcs';

/** A JSON Schema and the type that it admits, said once. */
export interface Shape<T> {
  readonly schema: SchemaObject;
  /** Never set: it carries the type. */
  readonly type?: T;
}
export type TypeOf<S> = S extends Shape<infer T> ? T : never;
type Members = Readonly<Record<string, Shape<unknown>>>;
type Flat<T> = { readonly [K in keyof T]: T[K] };

/** 1 to 512 characters: names, keys, labels. What is canonical for one of them its owner checks. */
export const TEXT: Shape<string> = { schema: { type: 'string', minLength: 1, maxLength: 512 } };
export const DIGEST: Shape<Digest> = { schema: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' } };
/** Any 16 bytes in the grouping of a UUID: no version or variant bits are asked for. */
export const UUID: Shape<string> = { schema: { type: 'string', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' } };
/** One that Catalog minted (cat:ID-14): version and variant are asked for. */
export const UUID7: Shape<string> = {
  schema: { type: 'string', pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' },
};
/** 16 bytes as 32 lower-case hex digits. */
export const HEX16: Shape<string> = { schema: { type: 'string', pattern: '^[0-9a-f]{32}$' } };
/** An unsigned 64-bit integer in decimal, no leading zero; JSON numbers lose precision above 2^53 (cat:A-27). */
export const DECIMAL: Shape<string> = { schema: { type: 'string', pattern: '^(0|[1-9][0-9]{0,19})$' } };
export const COUNT: Shape<number> = { schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } };
/** A member whose own schema is applied elsewhere. */
export const ANY_OBJECT: Shape<{ readonly [member: string]: Json }> = { schema: { type: 'object' } };
export const BINDING_KIND: Shape<BindingKind> = oneOf(...BINDING_KINDS);

export function oneOf<const T extends string>(...words: readonly T[]): Shape<T> {
  return { schema: { type: 'string', enum: words } };
}

export function listOf<T>(item: Shape<T>, max: number): Shape<readonly T[]> {
  return { schema: { type: 'array', items: item.schema, maxItems: max } };
}

/** No member but these; the optional ones may be missing and are never null. */
export function closed<R extends Members, O extends Members = Record<never, never>>(
  required: R,
  optional?: O,
): Shape<Flat<{ [K in keyof R]: TypeOf<R[K]> } & { [K in keyof O]?: TypeOf<O[K]> }>> {
  const properties = Object.fromEntries(Object.entries({ ...required, ...optional }).map(([member, shape]) => [member, shape.schema]));
  return { schema: { type: 'object', additionalProperties: false, required: Object.keys(required), properties } };
}

/** Whether a value is of a shape; `errors` says what was wrong with the last one. */
export interface Admits<T> {
  (value: unknown): value is T;
  readonly errors: ErrorObject[];
}

/** Compiled when it is first asked: a shape takes milliseconds, and a process that begins has dozens which it may never ask. */
export function admitting<T>(ajv: Ajv, { schema }: Shape<T>): Admits<T> {
  let compiled: ValidateFunction<T> | undefined;
  const admits = (value: unknown): value is T => (compiled ??= ajv.compile<T>(schema))(value);
  return Object.defineProperty(admits, 'errors', { get: () => compiled?.errors ?? [] }) as Admits<T>;
}
