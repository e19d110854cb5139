import { isTestCode, type Source } from '../repo';

// Put together from halves so that this file does not find itself.
const join = (...parts: string[]): string => parts.join('');
const rule = (says: string, pattern: string, flags = ''): { says: string; pattern: RegExp } => ({
  says,
  pattern: new RegExp(pattern, flags),
});

const ANYWHERE = [
  rule('a path of one machine', join('(^|[\\s"\'`(=])/(wo', 'rk|ro', 'ot|Us', 'ers)/[\\w.-]')),
  rule('a path of one machine', join('/ho', 'me/[\\w.-]{2,}/')),
  rule('a folder of one machine’s temporary files', join('(^|[\\s"\'`(=])/t', 'mp/[\\w.-]')),
  rule('a package registry', join('registry\\.', '[a-z-]+\\.[a-z]+|_au', 'thToken|npm', '_config_registry')),
  rule('a private network address', '\\b(10\\.\\d{1,3}|192\\.168|172\\.(1[6-9]|2\\d|3[01]))\\.\\d{1,3}\\.\\d{1,3}\\b'),
  rule('who wrote it', join('\\b(cla', 'ude|anth', 'ropic|chat', 'gpt|open', 'ai|co', 'pilot|l', 'lm)\\b'), 'i'),
  rule(
    'how it was written',
    join('\\b(sub-?ag', 'ent|language mo', 'del|helper ses', 'sion|this ses', 'sion|lead ses', 'sion|your br', 'ief|my br', 'ief)\\b'),
    'i',
  ),
];

const SECRETS = [
  rule('a private key', join('-----BEGIN [A-Z ]*PRIV', 'ATE KEY-----')),
  rule(
    'an access key',
    '\\b(AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{30,}|sk_live_[A-Za-z0-9]{16,}|xox[abpr]-[A-Za-z0-9-]{16,}|glpat-[\\w-]{16,})\\b',
  ),
  rule('a password in a URL', '\\b(?!mysql://user:password@host)[a-z][a-z0-9+]*://[^\\s/:@"\'`<>${}]+:[^\\s/:@"\'`<>${}]+@'),
  rule('a signing secret', '\\bwhsec_[A-Za-z0-9+/]{24,}'),
];

/** Test code and vectors may hold secrets that are nobody's, signing ones and passwords of made-up URLs; keys of real services nowhere. */
const ONLY_IN_TESTS = new Set(['a password in a URL', 'a signing secret']);
const LOCK = 'package-lock.json';

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** What must not leave the machine on which it was written. */
export function leaks(files: readonly Source[]): string[] {
  return files
    .filter((file) => file.path !== LOCK)
    .flatMap((file) => {
      const exempt = isTestCode(file.path) || file.path.includes('/vectors/') || file.path.startsWith('tests/');
      const rules = [...ANYWHERE, ...SECRETS.filter((one) => !exempt || !ONLY_IN_TESTS.has(one.says))];
      return rules.flatMap((one) => {
        const match = one.pattern.exec(file.text);
        return match ? [`${file.path}:${lineOf(file.text, match.index)}: ${one.says}`] : [];
      });
    });
}
