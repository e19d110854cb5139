import { nullable } from '@connector/kernel/column';
import type { EffectId, PermitId } from '@connector/kernel/ids';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conDispatchPermit, conEgressHolder, conEgressHolderGeneration, conRemoteEffect } from '@connector/schema/connector/outbound';
import { conCredentialGate } from '@connector/schema/connector/serving';
import { ctlIsolation, ctlTermination } from '@connector/schema/control/control';
import { finding, type Finding } from '../../model/explain/finding';
import { permitMachine, type PermitState } from '../../model/outbound/permit';
import type { Examined } from './examined';
import { credentialFindings } from './serving';

const permit = conDispatchPermit.columns;
const SEEN = {
  permit_id: permit.permit_id,
  effect_id: permit.effect_id,
  account: permit.account,
  epoch_id: permit.epoch_id,
  epoch_digest: conRemoteEffect.columns.epoch_digest,
  credential_generation_id: permit.credential_generation_id,
  credential_fence: permit.credential_fence,
  gate_fence: nullable(conCredentialGate.columns.fence),
  state: permit.state,
  holder_id: permit.holder_id,
  holder_fence: permit.holder_fence,
  granted_at: permit.granted_at,
  sending_at: permit.sending_at,
  generation_id: nullable(conEgressHolderGeneration.columns.generation_id),
  current_fence: nullable(conEgressHolder.columns.fence),
  termination_id: nullable(ctlTermination.columns.termination_id),
  isolation_id: nullable(ctlIsolation.columns.isolation_id),
} as const;

/** A permit beside all that is known of the process that holds it. */
export const PERMIT_WITH_HOLDER = readQuery(
  conDispatchPermit,
  SEEN,
  `SELECT p.permit_id, p.effect_id, p.account, p.epoch_id, e.epoch_digest, p.credential_generation_id, p.credential_fence,
          c.fence AS gate_fence, p.state, p.holder_id, p.holder_fence, p.granted_at, p.sending_at, g.generation_id, h.fence AS current_fence, t.termination_id, i.isolation_id
     FROM ${conDispatchPermit.name} p
     JOIN ${conRemoteEffect.name} e ON e.effect_id = p.effect_id
     LEFT JOIN ${conCredentialGate.name} c ON c.generation_id = p.credential_generation_id
     LEFT JOIN ${conEgressHolderGeneration.name} g ON g.holder_id = p.holder_id AND g.fence = p.holder_fence
     LEFT JOIN ${conEgressHolder.name} h ON h.holder_id = p.holder_id
     LEFT JOIN ${ctlTermination.name} t ON t.generation_id = g.generation_id
     LEFT JOIN ${ctlIsolation.name} i ON i.generation_id = g.generation_id
    WHERE p.permit_id = :permit_id`,
  'with-holder',
);
const OPEN_OF_EFFECT = readRows(
  conDispatchPermit,
  ['permit_id'],
  'WHERE effect_id = :effect_id AND open_account IS NOT NULL ORDER BY attempt_ordinal DESC LIMIT 1',
  'open-of-effect',
);
const OPEN_OF_ACCOUNT = readRows(
  conDispatchPermit,
  ['permit_id'],
  'WHERE open_account = :open_account ORDER BY permit_id LIMIT 20',
  'open-of-account',
);

export type PermitStory = ReturnType<typeof PERMIT_WITH_HOLDER.decode>;

export function readPermitStory(db: Db, permitId: PermitId): Promise<PermitStory | undefined> {
  return db.readOne(PERMIT_WITH_HOLDER, { permit_id: permitId });
}

export async function openPermitOf(db: Db, effectId: EffectId): Promise<PermitId | undefined> {
  return (await db.readOne(OPEN_OF_EFFECT, { effect_id: effectId }))?.permit_id;
}

/** At most 20 permits that keep the account from being held. */
export async function openPermitsOf(db: Db, account: PermitStory['account']): Promise<readonly PermitId[]> {
  return (await db.read(OPEN_OF_ACCOUNT, { open_account: account })).map((row) => row.permit_id);
}

export async function examinePermit(db: Db, permitId: PermitId): Promise<Examined | undefined> {
  const row = await readPermitStory(db, permitId);
  if (row === undefined) return undefined;
  const state = permitMachine.parse(row.state);
  const { account, epoch_id: epochId, epoch_digest: epochDigest } = row;
  const basis = { account, epochId, epochDigest };
  const open = state === 'granted' || state === 'sending';
  const waiting = { subject: row.permit_id, alertFrom: null, basis };
  const blocked = state === 'granted' ? await credentialFindings(db, row.credential_generation_id, waiting) : [];
  const findings = open ? [...fenceFindings(row, basis), ...blocked, holderFinding(row, state, basis)] : [];
  return { kind: 'permit', id: permitId, state, account, basis, findings, finished: !open };
}

/** A permit that its credential gate has left behind; none while it may be sent, nor once it was. */
function fenceFindings(row: PermitStory, basis: Finding['basis']): readonly Finding[] {
  const { permit_id: subject, credential_fence: granted, gate_fence: now, granted_at: since } = row;
  if (row.state !== 'granted' || now === null || now <= granted) return [];
  const facts = { subject, since, alertFrom: since, basis, evidenceId: subject };
  return [finding('PERMIT_FENCE_MOVED', { granted: `${granted}`, now: `${now}` }, facts)];
}

/** Silence proves nothing: only a newer registration of the name or one of the two receipts says that the holder is gone. */
function holderFinding(row: PermitStory, state: PermitState, basis: Finding['basis']): Finding {
  const since = row.sending_at ?? row.granted_at;
  const facts = { subject: row.permit_id, since, alertFrom: row.granted_at, basis, evidenceId: row.permit_id };
  const holder = `${row.holder_id} under fence ${row.holder_fence}`;
  const sent = state === 'sending' ? 'Its call may have been sent.' : 'Nothing was sent.';
  const ended = row.termination_id !== null;
  const isolated = row.isolation_id !== null;
  if (ended && isolated) return finding('PERMIT_HOLDER_PROVEN', { holder, sent, permit: row.permit_id }, facts);
  const superseded = row.current_fence === null || row.current_fence > row.holder_fence;
  if (ended || isolated || superseded) {
    const seen = ended ? 'has ended' : isolated ? 'is cut off' : 'was followed by another process of its name';
    const missing = ended ? 'isolation' : isolated ? 'end' : 'end and its isolation';
    return finding('PERMIT_HOLDER_UNPROVEN', { holder, seen, missing, sent, permit: row.permit_id }, facts);
  }
  return state === 'sending' ? finding('PERMIT_SENDING', { since, holder }, facts) : finding('PERMIT_GRANTED', { since, holder }, facts);
}
