/** Canonical SemVer 2.0.0 (cat:MAN-03, A-12): no leading `v`, no build metadata, at most 128 bytes, numeric parts up to 2^63-1. */
export interface Semver {
  readonly text: string;
  readonly core: readonly [major: bigint, minor: bigint, patch: bigint];
  /** Numeric identifiers as bigint. Empty for a release. */
  readonly prerelease: readonly (bigint | string)[];
}

const NUMBER = '(0|[1-9][0-9]{0,18})';
const FORM = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?$`);
const BYTES_MAX = 128;
const PART_MAX = 2n ** 63n - 1n;
const NUMERIC = /^[0-9]+$/;

/** Undefined where an identifier is a number with a leading zero or too large. */
function prereleasePart(text: string): bigint | string | undefined {
  if (!NUMERIC.test(text)) return text;
  const value = BigInt(text);
  return value <= PART_MAX && String(value) === text ? value : undefined;
}

/** Undefined for any text that is not canonical. */
export function parseSemver(text: string): Semver | undefined {
  const [, major, minor, patch, tail] = text.length <= BYTES_MAX ? (FORM.exec(text) ?? []) : [];
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  const core = [BigInt(major), BigInt(minor), BigInt(patch)] as const;
  const prerelease = (tail === undefined ? [] : tail.split('.')).map(prereleasePart).filter((part) => part !== undefined);
  if (core.some((part) => part > PART_MAX) || prerelease.length !== (tail?.split('.').length ?? 0)) return undefined;
  return { text, core, prerelease };
}

function order<T extends bigint | number | string>(left: T, right: T): number {
  return left < right ? -1 : Number(left > right);
}

/** SemVer 11.4: numbers below words, words by their ASCII bytes. */
function compareParts(left: bigint | string, right: bigint | string): number {
  if (typeof left === 'bigint') return typeof right === 'bigint' ? order(left, right) : -1;
  return typeof right === 'bigint' ? 1 : order(left, right);
}

/** By major, minor and patch alone. */
export function compareCore(left: Semver, right: Semver): number {
  return order(left.core[0], right.core[0]) || order(left.core[1], right.core[1]) || order(left.core[2], right.core[2]);
}

function comparePrerelease(left: Semver['prerelease'], right: Semver['prerelease']): number {
  // A release is above every prerelease of its core.
  if (left.length === 0 || right.length === 0) return order(Number(left.length === 0), Number(right.length === 0));
  for (const [index, part] of left.entries()) {
    const other = right[index];
    const found = other === undefined ? 1 : compareParts(part, other);
    if (found !== 0) return found;
  }
  return order(left.length, right.length);
}

/** Precedence of SemVer 2.0.0: negative, zero or positive. */
export function compareSemver(left: Semver, right: Semver): number {
  return compareCore(left, right) || comparePrerelease(left.prerelease, right.prerelease);
}

/** By precedence; a prerelease of the exclusive maximum's own core is outside, though it is lower (cat:A-12): so the core alone decides above. */
export function inRange(version: Semver, minInclusive: Semver, maxExclusive: Semver): boolean {
  return compareSemver(version, minInclusive) >= 0 && compareCore(version, maxExclusive) < 0;
}
