/** A text as a literal. */
export const text = (value: string): string => `'${value.replace(/[\\']/g, '\\$&')}'`;

export function errnoOf(error: unknown): number | undefined {
  return typeof error === 'object' && error !== null && 'errno' in error && typeof error.errno === 'number' ? error.errno : undefined;
}
