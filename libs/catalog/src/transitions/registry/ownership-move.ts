import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import { updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catAppOwnership, catOwnershipEvent } from '@connector/schema/catalog/registry';
import { audit } from '../../fences/audit';
import type { AppId, PublisherId } from '../../model/identifier';
import type { AppOwner, JudgeOwnership } from '../../model/ownership-statements';
import type { RequestKey } from '../../model/request';

/** An App under its new owner and epoch. */
export interface MovedApp {
  readonly appId: AppId;
  readonly oldPublisherId: PublisherId;
  readonly publisherId: PublisherId;
  readonly ownershipEpoch: bigint;
}
export interface OwnershipRefused {
  readonly kind: 'refused';
  readonly code: Extract<JudgeOwnership, { readonly kind: 'refused' }>['code'] | 'APP_UNKNOWN' | 'PUBLISHER_UNKNOWN';
  readonly appId: AppId;
  /** Who owns the App now, and since which epoch; null where nobody does. */
  readonly ownerPublisherId: PublisherId | null;
  readonly ownershipEpoch: bigint | null;
}

export function ownershipRefused(code: OwnershipRefused['code'], appId: AppId, owner: AppOwner | undefined): OwnershipRefused {
  return { kind: 'refused', code, appId, ownerPublisherId: owner?.publisherId ?? null, ownershipEpoch: owner?.ownershipEpoch ?? null };
}

interface Move {
  readonly kind: 'transferred' | 'recovered';
  readonly owner: AppOwner;
  readonly judged: Extract<JudgeOwnership, { readonly kind: 'moves' }>;
  readonly statement: Buffer;
  readonly signature: Buffer | null;
  /** Of the statement, for people. */
  readonly statementDigest: Digest;
}

const TAKE = updateRows(
  catAppOwnership,
  `SET publisher_id = :publisher_id.next, ownership_epoch = :ownership_epoch.next
 WHERE app_id = :app_id AND publisher_id = :publisher_id AND ownership_epoch = :ownership_epoch`,
);

/** cat:PUB-08, cat:PUB-09: the epoch rises by one and the event names both parties, in one commit. The App is locked and the move was judged. */
export async function moveOwnership(tx: FencedTx, move: Move, request: RequestKey): Promise<MovedApp> {
  const { owner, judged } = move;
  const [from, to] = [owner.publisherId, judged.toPublisherId];
  const moved = await tx.cas(TAKE, {
    app_id: owner.appId,
    publisher_id: from,
    'publisher_id.next': to,
    ownership_epoch: owner.ownershipEpoch,
    'ownership_epoch.next': judged.nextOwnershipEpoch,
  });
  invariant(moved, 'HOUSE:catalog:CasUnexplained', `the ownership of ${owner.appId} moved under its lock`);
  const parties = { old_publisher_id: from, new_publisher_id: to, accepted_by: request.caller };
  const said = { kind: move.kind, statement: move.statement, signature: move.signature };
  await tx.insert(catOwnershipEvent, [{ app_id: owner.appId, ownership_epoch: judged.nextOwnershipEpoch, ...said, ...parties }]);
  const details = { kind: move.kind, old: from, new: to, epoch: `${judged.nextOwnershipEpoch}`, statement_digest: move.statementDigest };
  await audit(tx, { caller: request.caller, subject: owner.appId, details });
  return { appId: owner.appId, oldPublisherId: from, publisherId: to, ownershipEpoch: judged.nextOwnershipEpoch };
}
