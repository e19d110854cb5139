import { type CelInput } from '@bufbuild/cel';
import type { Json } from '@connector/kernel/jcs';
import { parseStrict } from '@connector/kernel/strict-json';
import type { CalloutProfile } from '../model/definition-schemas';
import { partFault } from './canonical';
import { definitionRefused, type DefinitionRefused, readCalloutProfile } from './definition';
import type { Expression } from './expression';
import { planCallout, type CalloutPlan, type PlannedRule } from './callout-plan';
import { boolAt, PartError, textAt } from './parts';
import { retryAfterMs } from './retry-after';
import { celOf } from './values';

export interface Answer {
  /** Status of a complete head. */
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The body came whole and within `responseBytesMax`. */
  readonly complete: boolean;
}

/** Why an answer proves nothing. */
export const UNCERTAINTIES = ['body-broken', 'status-not-listed', 'rule-not-computable'] as const;
export type Uncertainty = (typeof UNCERTAINTIES)[number];

export type Classified =
  /** It took effect. No identity where the profile names none, or where the answer does not show it (con:IDN-16). */
  | { readonly class: 'confirmed'; readonly remoteIdentity: string | null }
  /** The frozen profile calls this refusal final: it had no effect and never will. */
  | { readonly class: 'refused_final' }
  /** The frozen profile says that it was not begun, and that the same request may come again; not before `retryAfterMs`, 0 to a day. */
  | { readonly class: 'refused_for_now'; readonly retryAfterMs: number }
  | { readonly class: 'uncertain'; readonly why: Uncertainty };

export interface Callout {
  readonly kind: 'callout';
  /** Scheme and host, with a port where needed. */
  readonly base: string;
  readonly credentialRef: string;
  readonly auth: CalloutProfile['auth'];
  readonly deadlineMs: number;
  readonly responseBytesMax: number;
  readonly idempotency: { readonly header: string; readonly guarantee: 'replays' } | null;
  /** For a complete head; without one nothing is known and this is not asked. Never throws. */
  classify(answer: Answer): Classified;
}

export function compileCallout(profile: Json): Callout | DefinitionRefused {
  const read = readCalloutProfile(profile);
  if (read.kind === 'faulty') return definitionRefused(read.faults);
  const plan = planCallout(read.value);
  if (plan.faults.length > 0) return definitionRefused(plan.faults);
  const { base, credential_ref, auth, deadline_ms, response_bytes_max, idempotency } = read.value;
  return {
    kind: 'callout',
    base,
    credentialRef: credential_ref,
    auth,
    deadlineMs: deadline_ms,
    responseBytesMax: response_bytes_max,
    idempotency: idempotency ?? null,
    classify: (answer) => classify(plan, answer),
  };
}

function classify(plan: CalloutPlan, answer: Answer): Classified {
  if (!answer.complete && !plan.definition.status_is_enough) return { class: 'uncertain', why: 'body-broken' };
  const body = celOf(answer.complete ? jsonOrNull(answer.body) : null);
  const bindings = { status: celOf(answer.status), headers: celOf(answer.headers), body };
  try {
    const rule = plan.rules.find((candidate) => holds(candidate, answer.status, bindings));
    if (rule === undefined) return { class: 'uncertain', why: 'status-not-listed' };
    return resultOf(rule.then, plan, answer, body);
  } catch (error) {
    // A later rule must not decide what an earlier one could not: the earlier might have said the opposite.
    if (error instanceof PartError) return { class: 'uncertain', why: 'rule-not-computable' };
    throw error;
  }
}

function resultOf(then: PlannedRule['then'], { remoteIdentity }: CalloutPlan, { headers }: Answer, body: CelInput): Classified {
  switch (then) {
    case 'confirmed':
      return { class: 'confirmed', remoteIdentity: identityOf(remoteIdentity, body) };
    case 'refused_final':
      return { class: 'refused_final' };
    case 'refused_for_now':
      return { class: 'refused_for_now', retryAfterMs: retryAfterMs(headers) };
  }
}

function jsonOrNull(body: Buffer): Json {
  const parsed = parseStrict(body);
  return parsed.ok ? parsed.value : null;
}

function holds(rule: PlannedRule, status: number, bindings: Readonly<Record<string, CelInput>>): boolean {
  return rule.status.includes(status) && (rule.when === undefined || boolAt('classify', rule.when, bindings));
}

function identityOf(expression: Expression | undefined, body: CelInput): string | null {
  if (expression === undefined) return null;
  try {
    const identity = textAt('remote_identity', expression, { body });
    return partFault(identity) === undefined ? identity : null;
  } catch (error) {
    // The effect is proven by the status; only its name is not.
    if (error instanceof PartError) return null;
    throw error;
  }
}
