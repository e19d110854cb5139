import { invariant } from '@connector/kernel/faults';

/** A LIMIT is a checked integer in the text of the statement: 1 to `max`. */
export function limited(limit: number, max: number): string {
  invariant(Number.isInteger(limit) && limit >= 1 && limit <= max, 'HOUSE:connector:ReadLimit', `a limit is 1 to ${max}, found ${limit}`);
  return `LIMIT ${limit}`;
}
