import type { JsonObject } from '@connector/kernel/jcs';

export interface ProviderAnswer {
  readonly status: number;
  readonly body: JsonObject;
}
/** What one executed call changed. With `digest`, the answer is kept for later calls under the same key. */
export interface Effect {
  readonly host: string;
  readonly id: string;
  readonly record: JsonObject;
  readonly answer: ProviderAnswer;
  readonly key: string | null;
  readonly digest: string | null;
}
