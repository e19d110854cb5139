import { RETRY_AFTER_MS_MAX } from './limits';

/**
 * Milliseconds that an answer asks to wait, at most a day; 0 where it asks for nothing that can be read, and then the frozen policy alone
 * decides. Headers by lower-case name. The provider's clock is compared with itself: a time counts from the answer's own `date`, so neither
 * a wrong clock there nor one here makes a wait.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>): number {
  const asked = own(headers, 'retry-after');
  if (/^[0-9]+$/.test(asked)) return Math.min(Number(asked) * 1_000, RETRY_AFTER_MS_MAX);
  const [until, from] = [httpDate(asked), httpDate(own(headers, 'date'))];
  return until === undefined || from === undefined ? 0 : Math.min(Math.max(0, until - from), RETRY_AFTER_MS_MAX);
}

const own = (headers: Readonly<Record<string, string>>, name: string): string =>
  Object.hasOwn(headers, name) ? (headers[name] ?? '') : '';

/** The one form that may still be sent (RFC 9110, 5.6.7): whatever does not come back as it was given is none. */
function httpDate(text: string): number | undefined {
  const at = Date.parse(text);
  return Number.isFinite(at) && new Date(at).toUTCString() === text ? at : undefined;
}
