/** A protocol as somebody offers it: a lower minor or another major than required does not do (cat:MAN-12). */
export interface OfferedProtocol {
  readonly protocolId: string;
  readonly major: number;
  readonly minor: number;
}

/** A handler that a service release attests to serve, and the lowest minor of its contract that it may be asked under (cat:BIND-13). */
export interface AttestedHandler {
  readonly handlerRef: string;
  readonly protocolMinor: number;
}

export type WorkloadAnswer = { readonly kind: 'known' | 'unknown' | 'unavailable' };
export type ServiceReleaseAnswer =
  | { readonly kind: 'attested'; readonly handlers: readonly AttestedHandler[] }
  /** This workload runs no such release, or there is no such workload. */
  | { readonly kind: 'unknown' | 'unavailable' };
export type FrontendReleaseAnswer =
  | { readonly kind: 'attested'; readonly hostSdk: OfferedProtocol; readonly contributionSchema: OfferedProtocol }
  | { readonly kind: 'unknown' | 'unavailable' };
