import type { Instant } from '@connector/kernel/brand';
import { InputFault } from '@connector/kernel/faults';
import { BodyFault, bodyValidation } from './problem';

const U64_MAX = '18446744073709551615';
/** As many digits as the largest, up to it: the same digits before one that is lower, and any after. */
const LONGEST = [...U64_MAX].flatMap((digit, at) => {
  const lower = [at === 0 ? 1 : 0, Number(digit) - 1] as const;
  return lower[1] < lower[0] ? [] : [`${U64_MAX.slice(0, at)}[${lower.join('-')}][0-9]{${U64_MAX.length - 1 - at}}`];
});

/** An unsigned 64-bit number in a body: shortest decimal text, since a JSON number loses precision above 2^53. */
export const U64_TEXT = new RegExp(`^(0|[1-9][0-9]{0,18}|${[...LONGEST, U64_MAX].join('|')})$`);

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

/** The form of an instant; whether a calendar has it, parseInstant says. */
export const INSTANT_TEXT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** A time that the database can keep as it is written: a day that no calendar has would become another one. */
export function parseInstant(text: string): Instant {
  const seconds = text.slice(0, 19);
  const time = Date.parse(`${seconds}Z`);
  const real = INSTANT_TEXT.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(seconds);
  if (!real) throw new InputFault('HOUSE:http:Instant', 'expected RFC 3339 in UTC with six digits, as 2030-01-31T12:00:00.000000Z');
  return text as Instant;
}

/** Exact bytes as a body carries them. Text that is not their one base64 form is refused: two texts of one document would be two requests. */
export function parseBase64(text: string, pointer: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') === text) return bytes;
  throw new BodyFault([{ pointer, detail: 'expected canonical base64' }]);
}
