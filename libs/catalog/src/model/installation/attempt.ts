/** One candidate of one installation, from its preparation to its end: what the journal and an open publication name. */
export interface Attempt {
  readonly installation: string;
  readonly attempt: bigint;
}

export interface OpenAttempt extends Attempt {
  readonly organization: string;
}
