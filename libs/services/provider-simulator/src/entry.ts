import type { Effect } from './effect';
import type { FaultName } from './fault-plan';

/** One request that reached a provider, whatever became of it. */
export interface Entry {
  /** From 1, in order of arrival; goes on over restarts and resets. */
  readonly n: number;
  /** Arrival, RFC 3339 in UTC. */
  readonly at: string;
  readonly host: string;
  readonly method: string;
  readonly target: string;
  /** Every name; the value only where it can hold no credential, else its length. */
  readonly headers: readonly (readonly [string, string])[];
  /** It carried an `authorization` header. */
  readonly credential: boolean;
  /** `Idempotency-Key` or `external_ref`; null where the caller gave none. */
  readonly key: string | null;
  /** `cut`: the connection ended first. `refused`: not through the proxy; its body was not read. */
  readonly request: 'arriving' | 'whole' | 'cut' | 'refused';
  /** Body bytes that arrived, counted while they do. */
  readonly bytes: number;
  /** Those bytes in base64, once the request is whole or cut. */
  readonly body: string;
  readonly fault: FaultName | null;
  /** The provider did what was asked. */
  readonly executed: boolean;
  /** Answered as the first call under the same key was. */
  readonly replayed: boolean;
  /** Of the answer; null where none was begun. */
  readonly status: number | null;
  /** `cut`: the connection ended before the last byte of the answer was handed over. */
  readonly answer: 'none' | 'begun' | 'whole' | 'cut';
}
export type Arrival = Pick<Entry, 'at' | 'host' | 'method' | 'target' | 'headers' | 'credential'>;
export type Change = Partial<Omit<Entry, 'n' | keyof Arrival>>;

/** One step of one request. */
export type Line =
  | { readonly kind: 'arrived'; readonly n: number; readonly arrival: Arrival }
  | { readonly kind: 'changed'; readonly n: number; readonly change: Change }
  | { readonly kind: 'executed'; readonly n: number; readonly effect: Effect }
  | { readonly kind: 'reset'; readonly n: number };
