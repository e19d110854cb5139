import { nullable } from '@connector/kernel/column';
import type { EpochId } from '@connector/kernel/ids';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conEpoch, conEpochVerification } from '@connector/schema/connector/serving';
import { finding, type Finding } from '../../model/explain/finding';
import { readVerification } from '../serving/verification';
import type { Examined } from './examined';
import { readEpochStory } from './serving';

/** An epoch beside what its owners answered when it was verified. */
export const EPOCH_WITH_VERDICT = readQuery(
  conEpoch,
  {
    epoch_id: conEpoch.columns.epoch_id,
    state: conEpoch.columns.state,
    changed_at: conEpoch.columns.changed_at,
    verdict: nullable(conEpochVerification.columns.verdict),
    decided_at: nullable(conEpochVerification.columns.decided_at),
    operation_id: nullable(conEpochVerification.columns.operation_id),
  },
  `SELECT e.epoch_id, e.state, e.changed_at, v.verdict, v.decided_at, v.operation_id
     FROM ${conEpoch.name} e LEFT JOIN ${conEpochVerification.name} v ON v.epoch_id = e.epoch_id
    WHERE e.epoch_id = :epoch_id`,
  'with-verdict',
);

type EpochStory = NonNullable<Awaited<ReturnType<typeof readEpochStory>>>;

export async function examineEpoch(db: Db, id: EpochId): Promise<Examined | undefined> {
  const epoch = await readEpochStory(db, id);
  if (epoch === undefined) return undefined;
  const findings = await findingsOf(db, epoch);
  return { kind: 'epoch', id, state: epoch.state, account: null, basis: null, findings, finished: findings.length === 0 };
}

async function findingsOf(db: Db, { epochId: epoch, state, changed_at: since }: EpochStory): Promise<readonly Finding[]> {
  const facts = { subject: epoch, since, alertFrom: null, basis: null, evidenceId: epoch };
  switch (state) {
    case 'prepared':
      return [finding('EPOCH_NOT_VERIFIED', { epoch, since }, facts)];
    case 'rejected':
      return [finding('EPOCH_REJECTED', { epoch, since, reason: await rejectionOf(db, epoch) }, facts)];
    case 'draining':
      return [finding('EPOCH_NOT_ACTIVE', { epoch, state }, facts)];
    default:
      return [];
  }
}

/** An epoch that was verified first keeps that evidence; why it was rejected later stands in the operation and in the audit. */
async function rejectionOf(db: Db, epoch: EpochId): Promise<string> {
  const decided = await readVerification(db, epoch);
  if (decided?.verdict === 'verified') return 'it was verified, and its owners said something else right before the activation';
  return decided?.reason ?? 'no reason was kept';
}
