import { flag, nullable } from '@connector/kernel/column';
import { EffectId, OutboundCommandId } from '@connector/kernel/ids';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conEffectEvidence, conRemoteEffect } from '@connector/schema/connector/outbound';
import { runOutboundCommand } from '@connector/schema/runtime/runtime';
import { finding, type Finding, type FindingFacts, type PolicyBasis } from '../../model/explain/finding';
import { effectMachine, type NoEffectReason } from '../../model/outbound/effect';
import type { Examined } from './examined';
import { examinePermit, openPermitOf } from './permit';
import { credentialFindings, servingFindings } from './serving';
import type { ExplainSources } from './sources';

const effect = conRemoteEffect.columns;
const SEEN = {
  effect_id: effect.effect_id,
  account: effect.account,
  epoch_id: effect.epoch_id,
  epoch_digest: effect.epoch_digest,
  credential_generation_id: effect.credential_generation_id,
  state: effect.state,
  reason: effect.reason,
  attempt_count: effect.attempt_count,
  due_at: effect.due_at,
  changed_at: effect.changed_at,
  is_due: flag(),
  remote_identity: conEffectEvidence.columns.remote_identity,
  detail: nullable(conEffectEvidence.columns.detail),
} as const;
const ONE = readQuery(
  conRemoteEffect,
  SEEN,
  `SELECT e.effect_id, e.account, e.epoch_id, e.epoch_digest, e.credential_generation_id, e.state, e.reason, e.attempt_count, e.due_at, e.changed_at,
          e.due_at <= NOW(6) AS is_due, v.remote_identity, v.detail
     FROM ${conRemoteEffect.name} e
     LEFT JOIN ${conEffectEvidence.name} v ON v.effect_id = e.effect_id AND v.attempt_ordinal = e.attempt_count
    WHERE e.effect_id = :effect_id`,
  'seen',
);
const COMMAND = readRows(
  runOutboundCommand,
  ['account', 'epoch_id', 'epoch_digest', 'credential_generation_id', 'feed_seq', 'authored_at'],
  'WHERE outbound_command_id = :outbound_command_id',
  'explained',
);

type Seen = ReturnType<typeof ONE.decode>;
const FINISHED: readonly string[] = ['finalized', 'no_effect'];

export async function examineEffect(db: Db, sources: ExplainSources, effectId: EffectId): Promise<Examined | undefined> {
  const row = await db.readOne(ONE, { effect_id: effectId });
  if (row === undefined) return undefined;
  const state = effectMachine.parse(row.state);
  const { account, epoch_id: epochId, epoch_digest: epochDigest } = row;
  const basis = { account, epochId, epochDigest };
  const findings = await findingsOf(db, sources, row, basis);
  return { kind: 'effect', id: effectId, state, account, basis, findings, finished: FINISHED.includes(state) };
}

/** An outbound command is its effect, once it has one. */
export async function examineOutboundCommand(db: Db, sources: ExplainSources, id: OutboundCommandId): Promise<Examined | undefined> {
  const begun = await examineEffect(db, sources, EffectId.of(OutboundCommandId.bytes(id)));
  if (begun !== undefined) return { ...begun, kind: 'outbound_command', id };
  const row = await db.readOne(COMMAND, { outbound_command_id: id });
  if (row === undefined) return undefined;
  const { account, epoch_id: epochId, epoch_digest: epochDigest, authored_at: since } = row;
  const basis = { account, epochId, epochDigest };
  const facts = { subject: id, since, alertFrom: since, basis, evidenceId: id };
  const findings = [
    ...(await servingFindings(db, id, basis)),
    ...(await credentialFindings(db, row.credential_generation_id, facts)),
    finding('COMMAND_NOT_PICKED_UP', { since, seq: `${row.feed_seq}` }, facts),
  ];
  return { kind: 'outbound_command', id, state: 'authored', account, basis, findings, finished: false };
}

async function findingsOf(db: Db, sources: ExplainSources, row: Seen, basis: PolicyBasis): Promise<readonly Finding[]> {
  const since = row.changed_at;
  const facts = { subject: row.effect_id, since, alertFrom: since, basis, evidenceId: row.effect_id };
  const allowed = async () => `${(await sources.attemptsMax(basis)) ?? 'an unknown number'}`;
  switch (effectMachine.parse(row.state)) {
    case 'prepared':
      return preparedFindings(db, row, facts, allowed);
    case 'dispatching':
      return permitFindings(db, row.effect_id);
    case 'uncertain':
      return [finding('EFFECT_UNCERTAIN', { detail: witness(row.detail), effect: row.effect_id }, facts)];
    case 'remote_confirmed':
      return [confirmedFinding(row, facts)];
    case 'no_effect':
      return restFindings(row, facts, await allowed());
    default:
      return [];
  }
}

async function preparedFindings(
  db: Db,
  row: Seen,
  facts: FindingFacts & { readonly basis: PolicyBasis },
  allowed: () => Promise<string>,
): Promise<readonly Finding[]> {
  const serving = await servingFindings(db, row.effect_id, facts.basis);
  const blocked = await credentialFindings(db, row.credential_generation_id, facts);
  return [...serving, ...blocked, row.is_due ? notPickedUp(row, facts) : backoff(row, facts, await allowed())];
}

function notPickedUp(row: Seen, facts: FindingFacts): Finding {
  return finding('EFFECT_NOT_PICKED_UP', { since: row.due_at }, { ...facts, since: row.due_at });
}

function backoff(row: Seen, facts: FindingFacts, max: string): Finding {
  const policy = { at: row.due_at, then: 'the next attempt' };
  const values = { due: row.due_at, attempt: `${row.attempt_count}`, max, detail: row.detail ?? '' };
  return finding('EFFECT_BACKOFF', values, { ...facts, policy });
}

/** Nothing moves it any more, and no alert is declared for it; it is still what somebody wanted and did not get. */
function restFindings(row: Seen, facts: FindingFacts, max: string): readonly Finding[] {
  const values = { detail: row.detail ?? '', effect: row.effect_id };
  switch (row.reason) {
    case 'PROVIDER_REFUSED' satisfies NoEffectReason:
      return [finding('EFFECT_REFUSED', values, facts)];
    case 'ATTEMPTS_EXHAUSTED' satisfies NoEffectReason:
      return [finding('EFFECT_ATTEMPTS_EXHAUSTED', { ...values, attempts: `${row.attempt_count}`, max }, facts)];
    default:
      return [];
  }
}

/** A dispatching effect waits for its open permit; one that closed between two looks is looked at again. */
async function permitFindings(db: Db, effectId: EffectId): Promise<readonly Finding[]> {
  const permitId = await openPermitOf(db, effectId);
  return permitId === undefined ? [] : ((await examinePermit(db, permitId))?.findings ?? []);
}

function confirmedFinding(row: Seen, facts: FindingFacts): Finding {
  if (row.reason === 'LINK_CONFLICT') {
    return finding('LINK_CONFLICT', { remote: row.remote_identity ?? 'it', effect: row.effect_id }, facts);
  }
  return finding('EFFECT_NOT_FINALIZED', { since: facts.since }, facts);
}

const witness = (detail: string | null): string => (detail === null ? '' : `Seen: ${detail}.`);
