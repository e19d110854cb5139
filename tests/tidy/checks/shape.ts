import { isCode, isTestCode, type Source } from '../repo';

interface Rule {
  readonly says: string;
  readonly in: (path: string) => boolean;
  readonly pattern: RegExp;
}

// Patterns are put together from halves so that this file does not find itself.
const word = (...parts: string[]): string => parts.join('');
const isTs = (path: string): boolean => path.endsWith('.ts') && isCode(path);

const TEXT_RULES: readonly Rule[] = [
  { says: 'export everything', in: isTs, pattern: /^\s*export \*/m },
  { says: 'a default export', in: (path) => /^(apps|libs|tests)\//.test(path) && isTs(path), pattern: /^\s*export default\b/m },
  { says: 'a forward reference', in: isTs, pattern: new RegExp(word('\\bforward', 'Ref\\b')) },
  { says: 'a linter switched off', in: isCode, pattern: new RegExp(word('eslint', '-disable')) },
  { says: 'the compiler switched off', in: isCode, pattern: new RegExp(word('@ts-', '(ignore|nocheck|expect-error)')) },
  { says: 'an open question left in a comment', in: isCode, pattern: new RegExp(word('\\b(TO', 'DO|FIX', 'ME|X', 'XX)\\b')) },
  {
    says: 'a test that does not run',
    in: (path) => isTestCode(path),
    pattern: new RegExp(word('\\b(it|test|describe)\\.', '(only|skip|todo)\\b')),
  },
];

const PATH_RULES: readonly { says: string; pattern: RegExp }[] = [
  { says: 'a barrel', pattern: /(^|\/)index\.(ts|js|mjs|cjs)$/ },
  { says: 'a plan: plans are issues', pattern: /(^|\/)[^/]*(plan|todo|hand-?off|roadmap|notes|status|progress|summary)[^/]*\.(md|txt)$/i },
];

/** Shapes that the house does without. */
export function forbiddenShapes(files: readonly Source[]): string[] {
  return files.flatMap((file) => [
    ...PATH_RULES.filter((rule) => rule.pattern.test(file.path)).map((rule) => `${file.path}: ${rule.says}`),
    ...TEXT_RULES.filter((rule) => rule.in(file.path) && rule.pattern.test(file.text)).map((rule) => `${file.path}: ${rule.says}`),
  ]);
}
