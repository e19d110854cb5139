/**
 * The second net. The first is that no secret is handed to a log at all; this one catches the known shapes: private keys, credentials in a
 * header, in a URL or in a `name=value`, and signing secrets by their prefix.
 */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, '[redacted]'],
  // Of an Ed25519 key without its frame: PKCS #8 begins alike for all of them.
  [/MC4CAQAwBQYDK2VwBCIE[\w+/=]{8,}/g, '[redacted]'],
  [/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, '$1 [redacted]'],
  [/\b(whsec|whsk|sk|pk|ghp|xox[abp])[_-][\w+/=-]{8,}/gi, '$1_[redacted]'],
  [/(:\/\/[^\s/:@]*):[^\s/@]+@/g, '$1:[redacted]@'],
  [
    /\b((?:[\w-]*(?:password|passwd|secret|token|api[_-]?key|authorization|signature))["']?\s*[=:]\s*["']?)(?!(?:bearer|basic)\s)[^\s"',;&}]{4,}/gi,
    '$1[redacted]',
  ],
];

/** `text` with everything that looks like a credential taken out. */
export function redact(text: string): string {
  return SHAPES.reduce((held, [shape, instead]) => held.replace(shape, instead), text);
}
