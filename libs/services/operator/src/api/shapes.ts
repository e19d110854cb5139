import type { AccountName, Instant } from '@connector/kernel/brand';
import type { Shape } from '@connector/kernel/document-shape';
import type { IdKind, IdName, IdText } from '@connector/kernel/ids';
import type { Json } from '@connector/kernel/jcs';

/** Shapes of answers beside those of documents: an answer may say null, and nests itself. */
export const STRING: Shape<string> = { schema: { type: 'string' } };
/** `<provider>/<tenant>`. */
export const ACCOUNT_NAME: Shape<AccountName> = { schema: { type: 'string', pattern: '^[a-z0-9-]{1,63}/[a-z0-9-]{1,63}$' } };
export const BOOLEAN: Shape<boolean> = { schema: { type: 'boolean' } };
/** An RFC 3339 time of the database in UTC, with microseconds. */
export const INSTANT: Shape<Instant> = { schema: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$' } };
const PLAIN = { type: ['string', 'number', 'boolean', 'null'] };
/** A row as evidence: bytes are left out and 64-bit numbers are text. */
export const PLAIN_ROW: Shape<Readonly<Record<string, Json>>> = { schema: { type: 'object', additionalProperties: PLAIN } };
/** What was counted for somebody who decides: the same, and ids where they are few. */
export const ESTIMATE: Shape<Readonly<Record<string, Json>>> = {
  schema: { type: 'object', additionalProperties: { anyOf: [PLAIN, { type: 'array', items: STRING.schema }] } },
};

export const either = <A, B>(one: Shape<A>, other: Shape<B>): Shape<A | B> => ({ schema: { anyOf: [one.schema, other.schema] } });
export const orNull = <T>(shape: Shape<T>): Shape<T | null> => ({ schema: { anyOf: [shape.schema, { type: 'null' }] } });
export const mapOf = <T>(shape: Shape<T>): Shape<Readonly<Record<string, T>>> => ({
  schema: { type: 'object', additionalProperties: shape.schema },
});
/** A list whose bound is the reader's, not the schema's. */
export const some = <T>(item: Shape<T>): Shape<readonly T[]> => ({ schema: { type: 'array', items: item.schema } });
/** One of the words that a table of the code has. */
export const wordOf = <T extends string>(words: readonly T[]): Shape<T> => ({ schema: { type: 'string', enum: [...words] } });
/** The same for a column that holds the word as text. */
export const textOf = (words: readonly string[]): Shape<string> => wordOf(words);
export const keyOf = <T extends object>(table: T): Shape<keyof T & string> => ({ schema: { type: 'string', enum: Object.keys(table) } });
export const idOf = <N extends IdName>({ prefix }: IdKind<N>): Shape<IdText<N>> => ({
  schema: { type: 'string', pattern: `^${prefix}_[0-9a-hjkmnp-tv-z]{26}$` },
});

/** A schema that stands under its name in the document, and is pointed at. */
export const named = <T>(name: string): Shape<T> => ({ schema: { $ref: `#/components/schemas/${name}` } });

/** The shape of a type that is declared elsewhere: it compiles only while both admit the same values. */
export function shapeOf<T>() {
  return <S>(shape: Shape<S> & ([S] extends [T] ? ([T] extends [S] ? unknown : never) : never)): Shape<T> => ({ schema: shape.schema });
}
