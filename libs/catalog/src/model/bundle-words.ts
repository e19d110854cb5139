/** Texts of a bundle that are not names: what is canonical for them (cat: ). */

const KEY_BYTES_MAX = 512;
// Category Cc is a control character, Cs half of a pair; both are refused anywhere.
const FORBIDDEN = /[\p{Cc}\p{Cs}]/u;
const SPACE_AT_AN_END = /^\p{White_Space}|\p{White_Space}$/u;
const DEFINITION_VERSION = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The base rule of all kinds; a kind may narrow it. An address is no key: a bundle holds none (cat:BIND-17). Cheap tests come first: nothing long is normalized. */
export function isBusinessKey(node: unknown): node is string {
  if (typeof node !== 'string' || node === '' || node.length > KEY_BYTES_MAX || Buffer.byteLength(node, 'utf8') > KEY_BYTES_MAX)
    return false;
  return !node.includes('://') && !FORBIDDEN.test(node) && !SPACE_AT_AN_END.test(node) && node.normalize('NFC') === node;
}

export function isDefinitionVersion(node: unknown): node is string {
  return typeof node === 'string' && DEFINITION_VERSION.test(node);
}
