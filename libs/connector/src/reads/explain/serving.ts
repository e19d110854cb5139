import type { AccountName } from '@connector/kernel/brand';
import { instant, int, nullable } from '@connector/kernel/column';
import type { CredentialGenerationId, EpochId } from '@connector/kernel/ids';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conDispatchPermit } from '@connector/schema/connector/outbound';
import { conCredentialGate, conEpoch, conServingGate } from '@connector/schema/connector/serving';
import { ctlCredentialDecision } from '@connector/schema/control/control';
import { finding, type Finding, type PolicyBasis } from '../../model/explain/finding';
import { credentialGateMachine } from '../../model/serving/credential-gate';
import { epochMachine } from '../../model/serving/epoch';
import { gateMachine, type GateMode } from '../../model/serving/gate';

const GATE = readRows(
  conServingGate,
  ['mode', 'fence', 'epoch_id', 'epoch_digest', 'changed_by', 'reason', 'changed_at'],
  'WHERE account = :account',
);
const STOPPED_PEERS = readRows(
  conServingGate,
  ['account', 'mode', 'changed_by', 'reason', 'changed_at'],
  "WHERE epoch_id = :epoch_id AND account <> :account AND mode <> 'v2_serving' ORDER BY account LIMIT 10",
  'stopped-peers',
);
const EPOCH = readRows(conEpoch, ['epoch_digest', 'state', 'changed_at'], 'WHERE epoch_id = :epoch_id');
const DECISION = ctlCredentialDecision.columns;
const CREDENTIAL = readQuery(
  conCredentialGate,
  {
    mode: conCredentialGate.columns.mode,
    changed_at: conCredentialGate.columns.changed_at,
    decided_by: nullable(DECISION.decided_by),
    reason: nullable(DECISION.reason),
    final: nullable(DECISION.final),
  },
  `SELECT g.mode, g.changed_at, d.decided_by, d.reason, d.final FROM ${conCredentialGate.name} g
     LEFT JOIN ${ctlCredentialDecision.name} d ON d.generation_id = g.generation_id AND d.fence = g.fence
    WHERE g.generation_id = :generation_id`,
  'story',
);
const OPEN = readQuery(
  conDispatchPermit,
  { open: int() },
  `SELECT COUNT(*) AS open FROM (SELECT permit_id FROM ${conDispatchPermit.name} WHERE open_account = :open_account LIMIT 1000) o`,
  'count-open',
);
const NOW = readQuery(conServingGate, { now: instant() }, 'SELECT NOW(6) AS now', 'now');

export async function databaseTime(db: Db) {
  const [row] = await db.read(NOW, {});
  return (row as NonNullable<typeof row>).now;
}

/** A gate as people see it: who moved it last, and why. */
export async function readGateStory(db: Db, account: AccountName) {
  const row = await db.readOne(GATE, { account });
  return row && { ...row, account, mode: gateMachine.parse(row.mode) };
}
export type GateStory = NonNullable<Awaited<ReturnType<typeof readGateStory>>>;

export async function readEpochStory(db: Db, epochId: EpochId) {
  const row = await db.readOne(EPOCH, { epoch_id: epochId });
  return row && { ...row, epochId, state: epochMachine.parse(row.state) };
}

/** At most 1000 are counted. */
export async function countOpenPermits(db: Db, account: AccountName): Promise<number> {
  return (await db.readOne(OPEN, { open_account: account }))?.open ?? 0;
}

/** What holds back a row whose next move needs the standard fence. `subject` is that row. */
export async function servingFindings(db: Db, subject: string, basis: PolicyBasis): Promise<readonly Finding[]> {
  const gate = await readGateStory(db, basis.account);
  const stopped = gate === undefined ? [] : await gateFindings(db, gate);
  return [...stopped, ...(await epochFindings(db, subject, basis))];
}

const HALTED: readonly GateMode[] = ['halting_v2', 'v2_halted'];

/** A deliberate stop of an account; none while it serves. */
export async function gateFindings(db: Db, gate: GateStory): Promise<readonly Finding[]> {
  if (!HALTED.includes(gate.mode)) return [];
  const { account } = gate;
  const values = { account, since: gate.changed_at, by: gate.changed_by, reason: gate.reason };
  const basis = { account, epochId: gate.epoch_id, epochDigest: gate.epoch_digest };
  const facts = { subject: `account/${account}`, since: gate.changed_at, alertFrom: gate.changed_at, basis, evidenceId: account };
  if (gate.mode === 'v2_halted') return [finding('GATE_HALTED', values, facts)];
  const open = await countOpenPermits(db, account);
  return [finding('GATE_HALTING', { ...values, open: `${open}` }, facts)];
}

/**
 * Other accounts of the same epoch that do not serve, at most 10. The Runtime keeps nothing of a run that a gate turned back (con:OPEN-43), so
 * which of them a handler would write to is not known here; the headline says what is.
 */
export async function destinationFindings(
  db: Db,
  facts: Pick<Finding, 'subject' | 'alertFrom'>,
  basis: PolicyBasis,
): Promise<readonly Finding[]> {
  const peers = await db.read(STOPPED_PEERS, { epoch_id: basis.epochId, account: basis.account });
  return peers.map(({ account, mode, changed_by: by, reason, changed_at: since }) =>
    finding('DESTINATION_STOPPED', { account, mode, since, by, reason }, { ...facts, since, basis, evidenceId: account }),
  );
}

async function epochFindings(db: Db, subject: string, basis: PolicyBasis): Promise<readonly Finding[]> {
  const epoch = await readEpochStory(db, basis.epochId);
  if (epoch === undefined || epoch.state === 'active') return [];
  const since = epoch.changed_at;
  const values = { epoch: epoch.epochId, state: epoch.state };
  return [finding('EPOCH_NOT_ACTIVE', values, { subject, since, alertFrom: null, basis, evidenceId: epoch.epochId })];
}

/** A credential gate that lets nothing out; none while it is enabled. `from` is when the row that needs it began to wait. */
export async function credentialFindings(
  db: Db,
  credential: CredentialGenerationId,
  waiting: Pick<Finding, 'subject' | 'alertFrom' | 'basis'>,
): Promise<readonly Finding[]> {
  const gate = await db.readOne(CREDENTIAL, { generation_id: credential });
  if (gate === undefined) return [];
  if (credentialGateMachine.parse(gate.mode) === 'enabled') return [];
  const { changed_at: since, decided_by, reason } = gate;
  const values = { credential, since, by: decided_by ?? 'nobody known', reason: reason ?? 'no reason stands' };
  const found = finding('CREDENTIAL_REVOKED', values, { ...waiting, since, evidenceId: credential });
  // Nobody may take a final revocation back, so it is not offered.
  return [gate.final === true ? { ...found, may: found.may.filter(({ kind }) => kind !== 'transition') } : found];
}
