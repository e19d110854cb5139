/** One change of one named statement of one door, made on its way to the database: production code stays as it is. */
export type Change = { readonly door: string; readonly statement: string } & (
  | { readonly find: string; readonly put: string }
  /** The answer is read plainly first; then the lock is taken, and what it would have answered is thrown away. */
  | { readonly readFirst: true }
);

/** How a statement goes to the database under a change. */
export interface Rewritten {
  readonly sql: string;
  /** Runs before `sql`; its answer stands. */
  readonly before?: string;
}

const LOCKING = / FOR UPDATE$/;
const NAMED = /^\/\* ((?:lock|read|insert|update) [^*]+) \*\/ /;

/** Changes in force. A change that no statement met, or whose text the statement does not have, makes the whole mutant void. */
export class Mutation {
  readonly #changes: readonly Change[];
  readonly #met = new Set<Change>();
  readonly #missing = new Set<string>();

  constructor(changes: readonly Change[]) {
    this.#changes = changes;
  }

  /** Changes that no statement met so far. */
  get unmet(): readonly string[] {
    return this.#changes.filter((change) => !this.#met.has(change)).map(({ door, statement }) => `${door}/${statement}`);
  }

  /** Statements that were met and have no such text. */
  get missing(): readonly string[] {
    return [...this.#missing];
  }

  rewrite(door: string, sql: string): Rewritten {
    const name = NAMED.exec(sql)?.[1];
    return this.#changes
      .filter((change) => change.door === door && change.statement === name)
      .reduce((text: Rewritten, change) => ({ ...text, ...this.#apply(change, text.sql) }), { sql });
  }

  #apply(change: Change, sql: string): Rewritten {
    this.#met.add(change);
    const done = 'find' in change ? { sql: sql.replace(change.find, change.put) } : { sql, before: sql.replace(LOCKING, '') };
    if (done.sql === sql && done.before === undefined) this.#miss(change);
    if (done.before === sql) this.#miss(change);
    return done;
  }

  #miss({ door, statement }: Change): void {
    this.#missing.add(`${door}/${statement}`);
  }
}
