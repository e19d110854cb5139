import { JSON_DEPTH_MAX } from '@connector/kernel/jcs';
import type { StrictJsonLimits } from '@connector/kernel/strict-json';

/**
 * decisions 12.10, in bytes; tested before anything is hashed (cat:A-25). `release`: manifest, bundle and every blob once. `values`: of every kind,
 * in all behaviors together (docs/decisions/0011).
 */
export const RELEASE_LIMITS = {
  manifest: 262_144,
  bundle: 5_242_880,
  blob: 4_194_304,
  components: 10_000,
  release: 67_108_864,
  values: 500_000,
} as const;

/**
 * The size alone bounds a document: a member takes more than four bytes and no string is longer than what it stands in. So the parser's limits
 * follow from the size and refuse nothing that the size admits; only nesting is a limit of its own.
 */
export function jsonLimits(bytes: number): StrictJsonLimits {
  return { depth: JSON_DEPTH_MAX, keys: Math.ceil(bytes / 4), stringBytes: bytes };
}

/**
 * The same for documents of a closed shape: in none of them does a member take less than 16 bytes (the densest is a required protocol), or a value
 * less than six (the shortest namespace in a list). So a document made to be slow ends before it is.
 */
export function shapedJsonLimits(bytes: number): StrictJsonLimits {
  return { ...jsonLimits(bytes), keys: Math.ceil(bytes / 16), values: Math.ceil(bytes / 6) };
}

export const UINT32_MAX = 4_294_967_295;
