const ROUNDS_MIN = 5;
const ROUNDS_MAX = 400;

/**
 * The first round warms up and is thrown away; then rounds for `seconds`, at least five. `round` is told which of two sides goes first, so
 * that what comes and goes on the machine hits both.
 */
export async function rounds<T>(seconds: number, round: (firstOneFirst: boolean, at: number) => Promise<T>): Promise<readonly T[]> {
  await round(true, 0);
  const answers: T[] = [];
  const end = performance.now() + seconds * 1_000;
  while (answers.length < ROUNDS_MIN || (performance.now() < end && answers.length < ROUNDS_MAX))
    answers.push(await round(answers.length % 2 === 0, answers.length + 1));
  return answers;
}

/** One after the other, in either order; the answers in the order of the sides. */
export async function bothSides<T>(
  firstOneFirst: boolean,
  one: () => Promise<T>,
  other: () => Promise<T>,
): Promise<readonly [one: T, other: T]> {
  if (firstOneFirst) return [await one(), await other()];
  const later = await other();
  return [await one(), later];
}

/** Milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
