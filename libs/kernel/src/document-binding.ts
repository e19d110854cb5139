/** The four kinds of definitions; a fifth is refused on write and on read (cat:INT-03). */
export const BINDING_KINDS = ['callout-profile', 'field-mapping', 'inbound-route', 'push-contract'] as const;
export type BindingKind = (typeof BINDING_KINDS)[number];

export function isBindingKind(text: string): text is BindingKind {
  return BINDING_KINDS.some((kind) => kind === text);
}
