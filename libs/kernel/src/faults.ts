/**
 * The four faults. What the domain expects is returned as an outcome; these are thrown, and the class says what the caller does next.
 * Codes are `HOUSE:<scope>:<Name>`.
 */
export abstract class Fault extends Error {
  constructor(
    readonly code: string,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(detail, options);
    this.name = new.target.name;
  }
}

/** These bytes are wrong and will stay wrong: answer 4xx, never retry. */
export class InputFault extends Fault {}

/** Nothing was committed: run the whole write path again, bounded, with jitter. */
export class RetryableFault extends Fault {}

/** COMMIT was sent and its answer was lost: run the same write path again with the same keys; looking proves nothing. */
export class UndeterminedFault extends Fault {}

/** We are wrong: log, page, stop the loop; never catch to go on. */
export class DefectFault extends Fault {}

/** One argument of several, read by its kind: what is wrong with it is said with its name, that of the part of a path or the member of a body. */
export function argument<T>(name: string, kind: { parse(text: string): T }, text: string): T {
  try {
    return kind.parse(text);
  } catch (thrown) {
    if (thrown instanceof InputFault) throw new InputFault(thrown.code, `${name}: ${thrown.message}`);
    throw thrown;
  }
}

/** Throws a DefectFault with `code` unless `condition` holds. */
export function invariant(condition: unknown, code: string, detail: string): asserts condition {
  if (!condition) throw new DefectFault(code, detail);
}

/** For `switch` statements that must name every member of a union. */
export function unreachable(value: never, where: string): never {
  throw new DefectFault('HOUSE:kernel:Unreachable', `${where}: unexpected ${JSON.stringify(value)}`);
}
