/**
 * recover-app: the operator gives an App to a publisher because its owner lost its keys
 *
 * why     Nobody can sign any more, so it is an explicit act of the operator's with a reason, under the rules of a transfer (cat:PUB-12).
 * paths   recover-app
 * locks   the new publisher, the App
 * fence   owner and ownership epoch, as the statement names them
 * again   The request key. A statement is good for one epoch.
 */
import type { Db } from '@connector/platform/db/db';
import { lockApps } from '../../fences/app';
import { lockPublishers } from '../../fences/publisher';
import { keepRequest, recallRequest } from '../../fences/request';
import type { AppId, PublisherId } from '../../model/identifier';
import { judgeRecovery, recoveryStatement } from '../../model/ownership-statements';
import { catalogDoors } from '../../model/paths';
import type { RequestKey } from '../../model/request';
import { type MovedApp, moveOwnership, ownershipRefused, type OwnershipRefused } from './ownership-move';

export interface RecoverApp {
  readonly appId: AppId;
  readonly fromPublisherId: PublisherId;
  readonly toPublisherId: PublisherId;
  readonly expectedOwnershipEpoch: bigint;
  /** 1 to 512 characters, for people. */
  readonly reason: string;
}
export type RecoveredApp = ({ readonly kind: 'recovered' } & MovedApp) | OwnershipRefused;

export async function recoverApp(db: Db, input: RecoverApp, request: RequestKey): Promise<RecoveredApp> {
  const { appId, toPublisherId } = input;
  const { bytes, digest } = recoveryStatement.build({
    app_id: appId,
    expected_ownership_epoch: `${input.expectedOwnershipEpoch}`,
    from_publisher_id: input.fromPublisherId,
    reason: input.reason,
    to_publisher_id: toPublisherId,
  });
  return db.fenced(catalogDoors['recover-app'], async (tx) => {
    const known = await lockPublishers(tx, [toPublisherId]);
    const before = await recallRequest<RecoveredApp>(tx, request);
    if (before !== undefined) return before;
    const owner = (await lockApps(tx, [appId])).get(appId);
    if (owner === undefined) return ownershipRefused('APP_UNKNOWN', appId, owner);
    if (!known.has(toPublisherId)) return ownershipRefused('PUBLISHER_UNKNOWN', appId, owner);
    const judged = judgeRecovery(owner, bytes);
    if (judged.kind === 'refused') return ownershipRefused(judged.code, appId, owner);
    const said = { statement: bytes, signature: null, statementDigest: digest };
    const moved = await moveOwnership(tx, { kind: 'recovered', owner, judged, ...said }, request);
    return keepRequest(tx, request, { kind: 'recovered', ...moved });
  });
}
