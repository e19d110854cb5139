import { Transform } from 'class-transformer';

/**
 * A member of a body that is a document of its own: left as it was sent, for its owner's schema. Otherwise the transformation into a class
 * would copy it, and drop members on the way that have a meaning for JavaScript alone.
 */
export function Raw(): PropertyDecorator {
  return Transform(({ obj, key }: { readonly obj: Readonly<Record<string, unknown>>; readonly key: string }) => obj[key]);
}

/** An unsigned 64-bit number in a body: decimal text, since a JSON number loses precision above 2^53. Its upper bound is the column's. */
export const U64_TEXT = /^(0|[1-9][0-9]{0,19})$/;
