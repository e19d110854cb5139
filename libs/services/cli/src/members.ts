/** Reading JSON that another process wrote, member by member. */
export type Members = Readonly<Record<string, unknown>>;

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const membersOf = (value: unknown): Members => (isMembers(value) ? value : {});
export const listOf = (value: unknown): readonly Members[] => (Array.isArray(value) ? value.filter(isMembers) : []);
export const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value));
export const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(textOf) : []);
