import type { GenerationId } from '@connector/kernel/ids';

/** Why the proxy itself answered. With each of them no byte has gone to a provider. */
export const PROXY_REASONS = {
  'token-missing': 407,
  'token-refused': 407,
  'connect-not-supported': 405,
  'not-absolute-form': 400,
  'unknown-host': 502,
  'body-too-large': 413,
  'connect-failed': 502,
} as const;
export type ProxyReason = keyof typeof PROXY_REASONS;

/** What the proxy saw: hosts, methods and answers; never a path, a header or a token. */
export type EgressEvent =
  | { readonly kind: 'refused'; readonly reason: ProxyReason }
  | {
      readonly kind: 'answered';
      readonly generation: GenerationId;
      readonly host: string;
      readonly method: string;
      readonly status: number;
    }
  | { readonly kind: 'broken'; readonly generation: GenerationId; readonly host: string; readonly method: string }
  | { readonly kind: 'withdrawn'; readonly generation: GenerationId };
