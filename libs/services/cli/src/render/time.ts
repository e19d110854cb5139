/** `4 min 12 s`: two parts at most, never a countdown to something that is released. */
export function lasting(fromMs: number, toMs: number): string {
  const seconds = Math.max(0, Math.floor((toMs - fromMs) / 1_000));
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count], at) => at === 0 || count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** `14:24:12.310 UTC`, or the whole date where it is not that day's. */
export function clock(at: string, now: string): string {
  const time = at.slice(11, 23);
  return at.slice(0, 10) === now.slice(0, 10) ? `${time} UTC` : `${at.slice(0, 10)} ${time} UTC`;
}

/** RFC 3339 in UTC with six digits, as the database writes it. */
export const instantText = (ms: number): string => new Date(ms).toISOString().replace(/Z$/, '000Z');
