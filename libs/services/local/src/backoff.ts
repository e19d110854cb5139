const FIRST_MS = 100;
const MAX_MS = 5_000;
/** In a row, without having become ready in between. */
export const STARTS_MAX = 12;

/** How long to wait before the n-th start in a row, ms: doubling with jitter, so that services that fell together do not rise together. */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const ceiling = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures, 10));
  return Math.round(ceiling * (0.5 + random() / 2));
}
