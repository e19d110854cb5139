/** The exit codes of experience 3(c); a script may rely on them. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  notAllowed: 4,
  notFound: 5,
  stale: 6,
  unavailable: 7,
  waiting: 8,
  needsPerson: 9,
  unknown: 10,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: readonly (readonly [ExitCode, string, string])[] = [
  [EXIT.done, 'done, or already done', ''],
  [EXIT.failed, 'failed, unexpected', 'read first'],
  [EXIT.usage, 'usage or invalid input', 'no'],
  [EXIT.refused, 'refused by a rule; nothing was written', 'no'],
  [EXIT.notAllowed, 'not signed in or not allowed', 'no'],
  [EXIT.notFound, 'not found (also: digest did not match, by design)', 'no'],
  [EXIT.stale, 'stale: an expected value moved; new plan needed', 'after a new plan'],
  [EXIT.unavailable, 'unavailable', 'YES'],
  [EXIT.waiting, 'waiting, within its alert time', 'work goes on'],
  [EXIT.needsPerson, 'needs a person: past alert, refused, safety', 'no'],
  [EXIT.unknown, 'outcome unknown: it may have been carried out', 'YES, with the same key; looking proves nothing'],
  [EXIT.interrupted, 'interrupted; what still runs is printed', ''],
];

/** What a refusal of the command line itself is called in its document; those of a service have their own. */
export function codeOf(exit: ExitCode): string {
  const [name = 'failed'] = Object.entries(EXIT).find(([, code]) => code === exit) ?? [];
  return `HOUSE:cli:${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Ends a command: what happened, what was found and what to do next, in at most six lines (experience 5.2). */
export class CliFailure extends Error {
  constructor(
    readonly exit: ExitCode,
    readonly lines: readonly string[],
    /** The problem document that it came from, for `--json`. */
    readonly document: object = {},
  ) {
    super(lines[0] ?? '');
    this.name = 'CliFailure';
  }
}
