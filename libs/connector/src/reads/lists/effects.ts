import type { AccountName } from '@connector/kernel/brand';
import { nullable } from '@connector/kernel/column';
import { EffectId } from '@connector/kernel/ids';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conDispatchPermit, conEffectEvidence, conRemoteEffect } from '@connector/schema/connector/outbound';
import { runOutboundCommand } from '@connector/schema/runtime/runtime';
import { LOOK_MAX, type ListSource, type Place } from './list';

const effect = conRemoteEffect.columns;
/** The row, and what is known of its last attempt: all that there is, where nobody knows whether it took effect. */
const COLUMNS = {
  effect_id: effect.effect_id,
  outbound_command_id: effect.outbound_command_id,
  account: effect.account,
  epoch_id: effect.epoch_id,
  credential_generation_id: effect.credential_generation_id,
  request_digest: effect.request_digest,
  intent: runOutboundCommand.columns.intent,
  state: effect.state,
  reason: effect.reason,
  attempt_count: effect.attempt_count,
  due_at: effect.due_at,
  created_at: effect.created_at,
  changed_at: effect.changed_at,
  /** What the provider knows the call by; null where its profile has no key. */
  provider_key: runOutboundCommand.columns.provider_key,
  last_permit_id: nullable(conDispatchPermit.columns.permit_id),
  last_outcome: nullable(conEffectEvidence.columns.outcome),
  last_status: conEffectEvidence.columns.status,
  last_detail: nullable(conEffectEvidence.columns.detail),
  last_recorded_at: nullable(conEffectEvidence.columns.recorded_at),
} as const;

// The bounded range comes first: what is joined to it are three rows by key for each of them.
const listed = (label: string, which: string) =>
  readQuery(
    conRemoteEffect,
    COLUMNS,
    `SELECT e.effect_id, e.outbound_command_id, e.account, e.epoch_id, e.credential_generation_id, e.request_digest, e.state, e.reason,
          e.attempt_count, e.due_at, e.created_at, e.changed_at, c.intent, c.provider_key, p.permit_id AS last_permit_id, v.outcome AS last_outcome,
          v.status AS last_status, v.detail AS last_detail, v.recorded_at AS last_recorded_at
     FROM (SELECT * FROM ${conRemoteEffect.name} WHERE ${which}) e
     JOIN ${runOutboundCommand.name} c ON c.outbound_command_id = e.outbound_command_id
     LEFT JOIN ${conDispatchPermit.name} p ON p.effect_id = e.effect_id AND p.attempt_ordinal = e.attempt_count
     LEFT JOIN ${conEffectEvidence.name} v ON v.permit_id = p.permit_id`,
    label,
  );
const ORDER = `ORDER BY created_at DESC, effect_id DESC LIMIT ${LOOK_MAX}`;
const BEFORE = 'AND created_at <= :created_at AND (created_at < :created_at OR effect_id < :effect_id)';
const NEWEST = listed('newest', `account = :account ${ORDER}`);
const OLDER = listed('older', `account = :account ${BEFORE} ${ORDER}`);
const NEWEST_UNCERTAIN = listed('newest-uncertain', `uncertain_account = :account ${ORDER}`);
const OLDER_UNCERTAIN = listed('older-uncertain', `uncertain_account = :account ${BEFORE} ${ORDER}`);
const ONE = listed('listed', 'effect_id = :effect_id');

export type ListedEffect = ReturnType<typeof ONE.decode>;

function page(db: Db, account: AccountName, before: Place | undefined, state: string | undefined): Promise<readonly ListedEffect[]> {
  // However much was finished since, the few of which nobody knows are found at once.
  const [newest, older] = state === 'uncertain' ? [NEWEST_UNCERTAIN, OLDER_UNCERTAIN] : [NEWEST, OLDER];
  if (before === undefined) return db.read(newest, { account });
  return db.read(older, { account, created_at: before.at, effect_id: EffectId.parse(before.id) });
}

export const effectList: ListSource<ListedEffect> = {
  page,
  placeOf: (row) => ({ id: row.effect_id, at: row.created_at }),
  find: (db, id) => db.readOne(ONE, { effect_id: EffectId.parse(id) }),
  isIn: (row, state) => row.state === state,
};
