import type { Explanation } from '@connector/connector/model/explain/explanation';

/** What a refusal about a row may say beside RFC 9457: why it waits, what was expected and found, which ids were meant. */
export interface RowDetails {
  readonly explanation: Explanation;
  readonly expected: object;
  readonly actual: object;
  readonly candidates: readonly string[];
}

interface ProblemSpec {
  readonly status: number;
  readonly when: string;
  /** What was written: nothing, or that it was refused and why, unless it cannot be known. */
  readonly written: 'nothing' | 'journal' | 'unknown';
  /** The details that every such refusal has; it has no other. */
  readonly carries: readonly (keyof RowDetails)[];
}

const refusal = <const S extends number, const C extends readonly (keyof RowDetails)[]>(status: S, when: string, ...carries: C) => ({
  ...{ status, when, carries },
  written: 'nothing' as const,
});

/** Every refusal of the operator by the name in its code. A refusal about a row that is there has the explanation of that row inside. */
export const PROBLEMS = {
  NotFound: refusal(404, 'no row has this id, or no row of the last day ends so'),
  NoSuchList: refusal(404, 'there is no list of that name'),
  NoSuchState: refusal(400, 'no row of this kind is ever in that state'),
  NameAnAccount: refusal(400, 'there are too many accounts to merge: one must be named'),
  ShortIdAmbiguous: refusal(400, 'the end of an id means several rows', 'candidates'),
  NotExplainable: refusal(400, 'the text is no id of a row that can wait'),
  NoLineage: refusal(400, 'the row came from no receipt', 'explanation'),
  NotInMode: refusal(409, 'the gate is not in the mode that the verb starts from', 'explanation'),
  PlanUnknown: refusal(409, 'the digest is of no plan for this subject'),
  PlanStale: refusal(409, 'what the plan bound has moved', 'expected', 'actual', 'explanation'),
  Refused: refusal(409, 'the owner of the row refused for a reason that no plan binds', 'explanation'),
  PermitClosed: refusal(409, 'the permit is closed already', 'explanation'),
  PermitHolderUnproven: refusal(409, 'a proof about the holder is missing', 'explanation'),
  NoGate: refusal(409, 'the credential generation has no gate yet', 'explanation'),
  RevocationFinal: refusal(409, 'the revocation that stands was made for good', 'explanation'),
  CatalogRefused: refusal(409, 'a rule of the catalog or what stands there does not allow it; `actual` says which', 'actual'),
  PublicationBarrierHeld: refusal(
    503,
    'an activation holds its authors off until it is over or given up; `actual` names the attempt',
    'actual',
  ),
  CatalogMoved: refusal(409, 'what the catalog was expected to say has moved', 'expected', 'actual'),
  ReleaseFaulty: refusal(422, 'the release breaks the rules that errors[] lists'),
  ReleaseVersionTaken: refusal(409, 'the version of the App is registered with other bytes', 'expected', 'actual'),
  MembershipFaulty: refusal(422, 'the membership breaks the rules that errors[] lists'),
  BindingIncompatible: refusal(422, 'the checks that errors[] lists refuse the binding'),
  PreparationFaulty: refusal(422, 'the checks that errors[] lists would refuse the installation'),
  PreparationRefused: {
    ...refusal(422, 'the checks that errors[] lists refused the installation'),
    written: 'journal',
  },
  PackVersionTaken: refusal(409, 'the version of the pack is registered with other bytes', 'expected', 'actual'),
  PackFaulty: refusal(422, 'the pack breaks the rules that errors[] lists'),
  CatalogUnavailable: refusal(503, 'the catalog does not run'),
  CatalogOwnerSilent: refusal(503, 'one that the catalog has to ask first does not answer; `actual` says who', 'actual'),
  CoordinatorUnavailable: refusal(503, 'the coordinator does not run'),
  ControlUnavailable: refusal(503, 'control does not run'),
  OutcomeUnknown: {
    ...refusal(503, 'the owner of the row took the request and did not answer'),
    written: 'unknown',
  },
} as const satisfies Record<string, ProblemSpec>;

export type ProblemName = keyof typeof PROBLEMS;
export type ProblemDetails<N extends ProblemName> = Pick<RowDetails, (typeof PROBLEMS)[N]['carries'][number]>;

/** Never reused for another meaning. */
export const codeOf = (name: ProblemName): string => `HOUSE:operator:${name}`;
