/** Every answer of a write path is a member of a closed union told apart by `kind`; a refused write is an answer with a name. */
export interface Outcome {
  readonly kind: string;
}
/** 1..N items of one account; every item gets its own answer, in the same order. */
export type Batch<T> = readonly [T, ...T[]] | readonly T[];
