/** Headers as Node's `rawHeaders` gives them: name, value, name, value. */
export type HeaderList = readonly string[];

export type OneHeader = { readonly kind: 'one'; readonly value: string } | { readonly kind: 'absent' } | { readonly kind: 'doubled' };

/**
 * The only instance of a header. `request.headers` would join two instances with a comma, and two readers of one request
 * could then take different signatures for the signature.
 */
export function oneHeader(headers: HeaderList, lowerCaseName: string): OneHeader {
  const values = headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === lowerCaseName);
  const [value, ...others] = values;
  if (value === undefined) return { kind: 'absent' };
  return others.length === 0 ? { kind: 'one', value } : { kind: 'doubled' };
}
