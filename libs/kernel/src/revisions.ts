/** One step of a database's schema. A breaking one changes what older code relies on: code that does not know it must not serve. */
export interface Revision {
  readonly revision: number;
  readonly name: string;
  readonly breaking: boolean;
}

/** The revisions that this code was written for, by database; libs/schema has their statements. A service serves on exactly these. */
export const REVISIONS = {
  main: [
    { revision: 1, name: 'first-path', breaking: true },
    { revision: 2, name: 'order-and-revocation', breaking: true },
    { revision: 3, name: 'conflicts-and-starts', breaking: false },
    { revision: 4, name: 'starts', breaking: false },
    { revision: 5, name: 'app-authority', breaking: true },
    { revision: 6, name: 'publication-barriers', breaking: true },
    { revision: 7, name: 'conversion', breaking: true },
    { revision: 8, name: 'pack-audit', breaking: false },
  ],
  journal: [{ revision: 1, name: 'first-path', breaking: true }],
} as const satisfies Record<string, readonly Revision[]>;
export type DatabaseKind = keyof typeof REVISIONS;
