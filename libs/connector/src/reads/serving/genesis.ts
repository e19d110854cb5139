import type { AccountName } from '@connector/kernel/brand';
import { int } from '@connector/kernel/column';
import { compareUtf8 } from '@connector/kernel/document-order';
import type { OperationId } from '@connector/kernel/ids';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conGenesisCertificate, conServingGate } from '@connector/schema/connector/serving';
import { accountSetDigest } from '../../model/digests/scope';
import type { GenesisAttempt, GenesisReadback } from '../../model/serving/genesis';
import { SERVICE_KEY, WORK_STAGES } from '../../model/serving/work';
import { readEpochHeader } from './epoch';

const CERTIFICATE = readRows(
  conGenesisCertificate,
  ['certificate_id', 'operation_id', 'epoch_id', 'epoch_digest', 'account_set_digest'],
  'WHERE service_key = :service_key',
);
/** One gate with what must have been born beside it. */
const GATES = readQuery(
  conServingGate,
  {
    account: conServingGate.columns.account,
    epoch_id: conServingGate.columns.epoch_id,
    epoch_digest: conServingGate.columns.epoch_digest,
    works: int(),
    feeds: int(),
  },
  `SELECT g.account, g.epoch_id, g.epoch_digest,
          (SELECT COUNT(*) FROM con_account_work w WHERE w.account = g.account) AS works,
          (SELECT COUNT(*) FROM con_effect_feed f WHERE f.account = g.account) AS feeds
     FROM con_serving_gate g ORDER BY g.account LIMIT 1000`,
);

export interface ExpectedGenesis extends GenesisAttempt {
  readonly operationId: OperationId;
  readonly accounts: readonly AccountName[];
}

/** Whether the service was begun by this operation. Absent says nothing yet: a commit may still be on its way. */
export async function isCertified(db: Db, operationId: OperationId): Promise<boolean> {
  return (await db.readOne(CERTIFICATE, { service_key: SERVICE_KEY }))?.operation_id === operationId;
}

/**
 * Everything that the activation wrote, read on a session that is given for this alone (con:OPEN-44). Modes and fences are not part of it:
 * a gate may have been halted between the activation and a resumed readback.
 */
export async function readBackGenesis(db: Db, expected: ExpectedGenesis): Promise<GenesisReadback> {
  const epoch = await readEpochHeader(db, expected.epochId);
  if (epoch?.state !== 'active' || epoch.epochDigest !== expected.epochDigest) return { kind: 'differs', what: 'epoch' };
  const certificate = await db.readOne(CERTIFICATE, { service_key: SERVICE_KEY });
  const ours = certificate?.operation_id === expected.operationId && certificate.epoch_digest === expected.epochDigest;
  if (!ours || certificate.account_set_digest !== accountSetDigest(expected.accounts).digest)
    return { kind: 'differs', what: 'certificate' };
  const gates = await db.read(GATES, {});
  const wanted = [...expected.accounts].sort(compareUtf8);
  const exact = gates.length === wanted.length && gates.every((gate, at) => gate.account === wanted[at]);
  const bound = gates.every((gate) => gate.epoch_id === expected.epochId && gate.epoch_digest === expected.epochDigest);
  if (!exact || !bound) return { kind: 'differs', what: 'gates' };
  if (gates.some((gate) => gate.works !== WORK_STAGES.length)) return { kind: 'differs', what: 'work' };
  return gates.every((gate) => gate.feeds === 1) ? { kind: 'as-activated' } : { kind: 'differs', what: 'feeds' };
}
