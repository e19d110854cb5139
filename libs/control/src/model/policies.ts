import { Ajv } from 'ajv';
import { admitting, closed, type Shape, type TypeOf } from '@connector/kernel/document-shape';
import { InputFault } from '@connector/kernel/faults';
import type { Json } from '@connector/kernel/jcs';

/** Waits that page somebody when they last too long; reaching a time escalates and changes nothing (con:LIV-04, con:INV-19). */
export const ALERT_REASONS = [
  'receipt_not_materialized',
  'execution_not_completed',
  'execution_quarantined',
  'effect_not_dispatched',
  'effect_uncertain',
  'effect_quarantined',
  'permit_open',
  'gate_halting',
  'channel_key_ending',
] as const;
export type AlertReason = (typeof ALERT_REASONS)[number];

function whole(minimum: number, maximum: number): Shape<number> {
  return { schema: { type: 'integer', minimum, maximum } };
}

const DAY_MS = 86_400_000;
const alerts = Object.fromEntries(ALERT_REASONS.map((reason) => [reason, whole(1_000, 30 * DAY_MS)])) as Record<AlertReason, Shape<number>>;

/** decisions 13.20: every member is required, and no other exists: a frozen policy never falls back to a default of the running code. */
export const POLICIES_SHAPE = closed({
  /** Tries of one execution or effect in all. */
  attempts_max: whole(1, 1_000),
  /** The n-th wait is any part of `first_ms * factor^(n-1)`, at most `cap_ms` (full jitter). What a provider asks to wait comes before it. */
  backoff: closed({ first_ms: whole(1, DAY_MS), factor: whole(1, 10), cap_ms: whole(1, DAY_MS) }),
  lease_ms: whole(1_000, 3_600_000),
  call_deadline_ms: whole(100, 120_000),
  body_bytes_max: whole(1, 8_388_608),
  alert_after_ms: closed(alerts),
});
export type Policies = TypeOf<typeof POLICIES_SHAPE>;

const ajv = new Ajv({ strict: true, allErrors: true, ownProperties: true });
const admits = admitting(ajv, POLICIES_SHAPE);

/** The policies of one account; InputFault names every place that is wrong. */
export function parsePolicies(value: Json): Policies {
  if (!admits(value)) throw new InputFault('HOUSE:control:Policies', ajv.errorsText(admits.errors, { dataVar: 'policies' }));
  if (value.backoff.cap_ms < value.backoff.first_ms)
    throw new InputFault('HOUSE:control:Policies', 'policies/backoff: cap_ms is below first_ms');
  return value;
}
