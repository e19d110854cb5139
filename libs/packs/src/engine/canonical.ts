import { KEY_BYTES_MAX, KEY_PART_BYTES_MAX } from './limits';

const BLANK_END = /^\s|\s$/u;
const CONTROL = /\p{C}/u;

/** Why a part of a key is not canonical (con:IDN-03), or undefined. Nothing is trimmed or folded (con:IDN-04). */
export function partFault(part: string): string | undefined {
  if (part === '') return 'an empty part';
  if (BLANK_END.test(part)) return 'a part with a blank end';
  if (CONTROL.test(part)) return 'a part with a control character';
  return Buffer.byteLength(part) > KEY_PART_BYTES_MAX ? `a part over ${KEY_PART_BYTES_MAX} bytes` : undefined;
}

/** Why parts make no key, or undefined. */
export function keyFault(parts: readonly string[]): string | undefined {
  const fault = parts.map(partFault).find((found) => found !== undefined);
  return fault ?? (joinKey(parts).length > KEY_BYTES_MAX ? `a key over ${KEY_BYTES_MAX} bytes` : undefined);
}

/** Parts joined by NUL. One to one, because no part holds a NUL (a control character) and the number of parts is fixed by the route. */
export function joinKey(parts: readonly string[]): Buffer {
  return Buffer.from(parts.join('\0'), 'utf8');
}

const RFC3339 = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** RFC 3339 with at most microseconds, as UTC with exactly six digits; undefined where it is none, or before 1970, or after 9999. */
export function canonicalInstant(text: string): string | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [, date, time, fraction = '', sign, hours = '0', minutes = '0'] = match;
  const local = `${date}T${time}`;
  const at = Date.parse(`${local}Z`);
  // A day or an hour that does not exist is refused, not moved to the next one.
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 19) !== local || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  const utc = new Date(at - offset).toISOString();
  if (utc.length !== 24 || utc < '1970') return undefined;
  return `${utc.slice(0, 19)}.${fraction.padEnd(6, '0')}Z`;
}
