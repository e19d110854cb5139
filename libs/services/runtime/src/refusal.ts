/**
 * Why a command ends as `failed` though its handler did not say so, with nothing changed and nothing sent. Each but the last follows
 * from the command, its epoch and the records alone, so that another run would end the same. Kept beside the result and said in the log: the result document is
 * closed and has no member for a reason.
 */
export const RUN_REFUSALS = [
  'input-not-json',
  'handler-threw',
  'wants-invalid',
  'outcome-unknown',
  'outcome-with-effects',
  'reason-invalid',
  'too-many-changes',
  'too-many-commands',
  'too-many-destinations',
  'change-of-unread-record',
  'change-invalid',
  'change-too-large',
  'intent-twice',
  'account-unknown',
  'effect-unknown',
  'intent-not-authored',
  'slot-not-authored',
  'credential-unknown',
  'push-refused',
  'request-too-large',
  'command-conflict',
  'never-answered',
] as const;
export type RunRefusal = (typeof RUN_REFUSALS)[number];

export interface Refusal {
  readonly kind: 'refused';
  readonly code: RunRefusal;
  /** Never a value of the input or of a record. */
  readonly detail: string;
  /** Where a handler threw; for the log alone. */
  readonly places?: string;
}

/** Thrown inside a decision only; `refusing` hands it back as a value. */
export class Refused extends Error {
  constructor(
    readonly code: RunRefusal,
    readonly detail: string,
    readonly places?: string,
  ) {
    super(code);
  }
}

export function refusing<T>(decide: () => T): T | Refusal {
  try {
    return decide();
  } catch (thrown) {
    if (!(thrown instanceof Refused)) throw thrown;
    const { code, detail, places } = thrown;
    return { kind: 'refused', code, detail, ...(places === undefined ? {} : { places }) };
  }
}

export function demand(condition: boolean, code: RunRefusal, detail: string): asserts condition {
  if (!condition) throw new Refused(code, detail);
}

/** Runs what a handler wrote. Of what it throws only the name and the places are kept: a message may quote the input. */
export function asked<T>(run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    throw thrown instanceof Error
      ? new Refused('handler-threw', thrown.name, placesOf(thrown))
      : new Refused('handler-threw', typeof thrown);
  }
}

const PLACES = 5;

function placesOf(error: Error): string {
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return places
    .slice(0, PLACES)
    .map((line) => line.trim())
    .join(' ');
}
