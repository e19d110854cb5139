import type { Unnamed } from '../releases/local-release';

const SHOWN_MAX = 20;

/** Files that no component means, with the digests by which one would: what an author has to write, or a file too many. */
export function unnamedLines(unnamed: readonly Unnamed[]): readonly string[] {
  const more = unnamed.length - SHOWN_MAX;
  return [
    ...unnamed
      .slice(0, SHOWN_MAX)
      .flatMap(({ file, digests }) => [
        '',
        `  ${file} is named by no component. Its content digest is`,
        ...digests.map(({ componentKind, digest }) => `    ${digest} as ${componentKind}`),
      ]),
    ...(more > 0 ? ['', `  and ${more} more files that no component names`] : []),
  ];
}
