import type { TypeOf } from '@connector/kernel/document-shape';
import { databaseTime, readEpochStory } from '@connector/connector/reads/explain/serving';
import { stagesDue, waitingCounts } from '@connector/connector/reads/lists/waiting-counts';
import { readGates } from '@connector/connector/reads/serving/gates';
import type { Db } from '@connector/platform/db/db';
import { PRODUCT_VERSION } from '@connector/platform/host/version';
import type { STATUS } from './api/answers';
import type { Claimant } from './claimant';

/** One screen: what serves, on which epoch, what is unfinished, which stages have work, now or at a known time. At most 1000 of each are counted. */
export type Status = TypeOf<typeof STATUS>;

export async function readStatus(db: Db, claimant: Claimant): Promise<Status> {
  const gates = await readGates(db);
  const epochs = await Promise.all([...new Set(gates.map(({ epochId }) => epochId))].map((id) => readEpochStory(db, id)));
  const stages = await stagesDue(db);
  return {
    version: PRODUCT_VERSION,
    database_time: await databaseTime(db),
    gates: gates.map(({ account, mode, fence, epochId }) => ({ account, mode, fence: fence.toString(), epoch: epochId })),
    epochs: epochs.flatMap((epoch) => (epoch === undefined ? [] : [{ id: epoch.epochId, state: epoch.state }])),
    waiting: await waitingCounts(db),
    wakes: await claimant.wakes(),
    stages: stages.map(({ stage, due, next_due }) => ({ stage, accounts_due: due, next_due })),
  };
}
