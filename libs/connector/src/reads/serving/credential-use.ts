import type { AccountName } from '@connector/kernel/brand';
import { int } from '@connector/kernel/column';
import type { CredentialGenerationId, EpochId, PermitId } from '@connector/kernel/ids';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conDispatchPermit, conRemoteEffect } from '@connector/schema/connector/outbound';
import { conEpoch, conServingGate } from '@connector/schema/connector/serving';

/** What a credential generation holds back or lets out now. */
export interface CredentialUse {
  /** The epoch that its account serves on, where that one names the generation. */
  readonly epoch: { readonly id: EpochId; readonly state: string } | null;
  /** At most 1000 are counted, and at most 1000 open permits are looked at. */
  readonly preparedEffects: number;
  readonly grantedPermits: number;
  readonly sendingPermits: number;
  /** The first 20: calls that nobody recalls. */
  readonly sending: readonly PermitId[];
}

const SHOWN_MAX = 20;
const EPOCH = readQuery(
  conEpoch,
  { epoch_id: conServingGate.columns.epoch_id, state: conEpoch.columns.state },
  `SELECT g.epoch_id, e.state FROM con_serving_gate g
     JOIN con_epoch_credential c ON c.epoch_id = g.epoch_id AND c.generation_id = :generation_id
     JOIN con_epoch e ON e.epoch_id = g.epoch_id
    WHERE g.account = :account`,
  'of-credential',
  { generation_id: conDispatchPermit.columns.credential_generation_id, account: conDispatchPermit.columns.account },
);
const PREPARED = readQuery(
  conRemoteEffect,
  { n: int() },
  `SELECT COUNT(*) AS n FROM (SELECT effect_id FROM ${conRemoteEffect.name}
    WHERE ready_account = :ready_account AND credential_generation_id = :credential_generation_id LIMIT 1000) e`,
  'prepared-of-credential',
);
const OPEN = readRows(
  conDispatchPermit,
  ['permit_id', 'state'],
  `WHERE open_account = :open_account AND credential_generation_id = :credential_generation_id ORDER BY permit_id LIMIT 1000`,
  'open-of-credential',
);

/** A generation is of one account, so its effects and permits stand in the indexes of that account. */
export async function readCredentialUse(db: Db, generationId: CredentialGenerationId, account: AccountName): Promise<CredentialUse> {
  const epoch = await db.readOne(EPOCH, { generation_id: generationId, account });
  const prepared = await db.readOne(PREPARED, { ready_account: account, credential_generation_id: generationId });
  const open = await db.read(OPEN, { open_account: account, credential_generation_id: generationId });
  const sending = open.filter(({ state }) => state === 'sending').map(({ permit_id }) => permit_id);
  return {
    epoch: epoch === undefined ? null : { id: epoch.epoch_id, state: epoch.state },
    preparedEffects: prepared?.n ?? 0,
    grantedPermits: open.length - sending.length,
    sendingPermits: sending.length,
    sending: sending.slice(0, SHOWN_MAX),
  };
}
