/**
 * A wake is a hint that a stage has work for an account. It decides nothing: it may be lost, doubled, late or a lie, and the poll finds the
 * work alone (decisions 2).
 */
export interface Hint {
  readonly stage: string;
  readonly account: string;
}

export interface Wake {
  /** Fire and forget, after COMMIT: never throws, never waits, and does nothing once closed. */
  emit(hint: Hint): void;
  /** Calls `handler` for hints of these stages until the returned function is called. A handler sets a flag and returns. */
  subscribe(stages: readonly string[], handler: (hint: Hint) => void): () => void;
  /** For a person and for readiness; work goes on by polling in every one of them. */
  readonly state: WakeState;
  /** Bounded, and never rejects. */
  close(): Promise<void>;
}

/** `crashed`: it failed for a reason that waiting alone does not mend; `away`: nobody is there to carry hints. */
export type WakeState = 'hearing' | 'joining' | 'away' | 'crashed' | 'off';

export interface WakeCounter {
  wake(kind: 'emitted' | 'received' | 'dropped', count?: number): void;
  fault(thrown: unknown): void;
}

/** Hints of one message; what is beyond it is dropped. */
export const HINTS_MAX = 256;
export const STAGES_MAX = 64;
const STAGE = /^[a-z][a-z0-9-]{0,63}$/;
const ACCOUNT = /^[\x21-\x7e]{1,160}$/;

export function isHint(value: unknown): value is Hint {
  return fieldMatches(value, 'stage', STAGE) && fieldMatches(value, 'account', ACCOUNT);
}

function fieldMatches(value: unknown, field: string, form: RegExp): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const held: unknown = Reflect.get(value, field);
  return typeof held === 'string' && form.test(held);
}

/** What one message may say. Everything else on the channel is somebody else's business. */
export type WakeMessage =
  | { readonly kind: 'hints'; readonly hints: readonly Hint[]; readonly dropped: number }
  | { readonly kind: 'subscribe'; readonly stages: readonly string[] };

/** Reads a message of the channel; undefined when it is none of ours. A malformed hint is dropped alone, its neighbours live. */
export function readWakeMessage(message: unknown): WakeMessage | undefined {
  if (typeof message !== 'object' || message === null || !('type' in message)) return undefined;
  if (message.type === 'wake') return readHints(listOf(message, 'hints'));
  if (message.type === 'wake-subscribe') {
    const stages = listOf(message, 'stages').slice(0, STAGES_MAX);
    return { kind: 'subscribe', stages: stages.filter((stage): stage is string => typeof stage === 'string' && STAGE.test(stage)) };
  }
  return undefined;
}

function readHints(given: readonly unknown[]): WakeMessage {
  const hints = given
    .slice(0, HINTS_MAX)
    .filter(isHint)
    .map(({ stage, account }) => ({ stage, account }));
  return { kind: 'hints', hints, dropped: given.length - hints.length };
}

function listOf(message: object, field: string): readonly unknown[] {
  const list: unknown = Reflect.get(message, field);
  return Array.isArray(list) ? list : [];
}

export const hintsMessage = (hints: readonly Hint[]) => ({ type: 'wake', hints });
export const subscribeMessage = (stages: readonly string[]) => ({ type: 'wake-subscribe', stages });
