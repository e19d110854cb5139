/** Colour never says more than the word beside it (experience 5.1). */
const TONES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    done: 32,
    completed: 32,
    applied: 32,
    finalized: 32,
    confirmed: 32,
    active: 32,
    v2_serving: 32,
    ready: 33,
    waiting: 33,
    prepared: 33,
    granted: 33,
    stored: 33,
    progressing: 34,
    dispatching: 34,
    sending: 34,
    halting_v2: 35,
    v2_halted: 35,
    uncertain: 31,
    unknown: 31,
    refused: 31,
    needs_person: 31,
  }),
);

/** A state word in its tone. */
export function paint(word: string, color: boolean): string {
  const tone = color ? TONES.get(word) : undefined;
  return tone === undefined ? word : `\u001b[${tone}m${word}\u001b[39m`;
}
