import { BodyFault, bodyValidation } from './problem';

/** An unsigned 64-bit number in a body: decimal text, since a JSON number loses precision above 2^53. Its upper bound is the column's. */
export const U64_TEXT = /^(0|[1-9][0-9]{0,19})$/;

export interface WithDocument<T> {
  /** The members beside the document, checked by their class. */
  readonly rest: T;
  readonly document: object;
}

const rules = bodyValidation();

/**
 * A body one of whose members is a document of its own, which its owner's schema checks. It is taken out first and stays as it was sent:
 * the validation of bodies drops members that have a meaning for JavaScript (`prototype`, `constructor`), and a document is never repaired.
 * The handler declares such a body as `object`, so that the host leaves it alone.
 */
export async function withDocument<T>(Rest: new () => T, sent: object | null | undefined, member: string): Promise<WithDocument<T>> {
  const { [member]: document, ...others } = (sent ?? {}) as Readonly<Record<string, unknown>>;
  const rest = (await rules.transform(others, { type: 'body', metatype: Rest })) as T;
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) return { rest, document };
  throw new BodyFault([{ pointer: `/${member}`, detail: `${member} must be an object` }]);
}
