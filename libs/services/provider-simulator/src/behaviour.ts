import type { JsonObject } from '@connector/kernel/jcs';
import type { Effect, ProviderAnswer } from './effect';
import type { Records } from './records';

/** A request that came through the proxy and arrived whole. */
export interface ProviderRequest {
  readonly method: string;
  /** As received, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly idempotencyKey: string | undefined;
  readonly bytes: Buffer;
  /** Undefined where the body is no JSON object. */
  readonly body: JsonObject | undefined;
}
/** What a provider makes of a request. Only `execute` changes anything. */
export type Decision =
  | { readonly kind: 'execute'; readonly effect: Effect }
  | { readonly kind: 'replay'; readonly answer: ProviderAnswer }
  | { readonly kind: 'answer'; readonly answer: ProviderAnswer };

/** One provider's manners. Pure: a fault between deciding and answering changes nothing that it knows. */
export interface Behaviour {
  /** The name under which a caller would recognise this call again; null where it gave none. */
  keyOf(request: ProviderRequest): string | null;
  decide(host: string, request: ProviderRequest, records: Records): Decision;
}

export function answer(status: number, body: JsonObject): Decision {
  return { kind: 'answer', answer: { status, body } };
}
