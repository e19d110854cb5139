import type { Instant } from '@connector/kernel/brand';
import { documentKind, type ParsedDocument } from '@connector/kernel/document';
import { closed, DECIMAL, TEXT, type TypeOf } from '@connector/kernel/document-shape';
import { InputFault } from '@connector/kernel/faults';
import { type AppId, PublisherId } from './identifier';
import { type KeyRefusal, type PublisherKey, refusalOfKey, signatureHolds } from './signing';

const transferShape = closed({
  app_id: TEXT,
  expected_ownership_epoch: DECIMAL,
  from_publisher_id: TEXT,
  key_id: TEXT,
  to_publisher_id: TEXT,
});
/** The owner of an App gives it to another publisher; signed by a key of the owner (cat:PUB-06). */
export type TransferStatement = TypeOf<typeof transferShape>;

/** The separator is ours. The epoch in it makes a statement good for one transfer (cat:PUB-08). */
export const transferStatement = documentKind<TransferStatement>({
  name: 'app transfer',
  separator: 'nexuscrm.app-transfer.v1',
  shape: transferShape,
});

const recoveryShape = closed({
  app_id: TEXT,
  expected_ownership_epoch: DECIMAL,
  from_publisher_id: TEXT,
  reason: TEXT,
  to_publisher_id: TEXT,
});
/** The operator gives an App to a publisher because the owner lost its keys: nobody signs, so a reason is required (cat:PUB-12). */
export type RecoveryStatement = TypeOf<typeof recoveryShape>;

/** The separator is ours. */
export const recoveryStatement = documentKind<RecoveryStatement>({
  name: 'app recovery',
  separator: 'nexuscrm.app-recovery.v1',
  shape: recoveryShape,
});

/** Who owns an App now, read under its row's lock. */
export interface AppOwner {
  readonly appId: AppId;
  readonly publisherId: PublisherId;
  readonly ownershipEpoch: bigint;
}

type OwnershipRefusal =
  'STATEMENT_SHAPE' | 'APP_MISMATCH' | 'OWNER_MISMATCH' | 'OWNERSHIP_EPOCH_STALE' | 'OWNERSHIP_EPOCH_OVERFLOW' | 'SAME_PUBLISHER';
export type JudgeOwnership =
  | { readonly kind: 'moves'; readonly toPublisherId: PublisherId; readonly nextOwnershipEpoch: bigint }
  | { readonly kind: 'refused'; readonly code: OwnershipRefusal | 'SIGNATURE_INVALID' | 'KEY_MISMATCH' | KeyRefusal };

const EPOCH_MAX = 2n ** 64n - 1n;

function read<T>(parse: () => ParsedDocument<T>): ParsedDocument<T> | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InputFault) return undefined;
    throw error;
  }
}

/** The canonical statement with its digest, or undefined for bytes that are none. */
export function readTransfer(statement: Buffer): ParsedDocument<TransferStatement> | undefined {
  return read(() => transferStatement.parse(statement));
}

/** What transfer and recovery share: the App, its owner and its epoch are those of now, and the epoch can rise. */
function judge(owner: AppOwner, statement: Omit<RecoveryStatement, 'reason'>): JudgeOwnership {
  const refused = (code: OwnershipRefusal): JudgeOwnership => ({ kind: 'refused', code });
  const to = statement.to_publisher_id;
  if (!PublisherId.is(to)) return refused('STATEMENT_SHAPE');
  if (statement.app_id !== owner.appId) return refused('APP_MISMATCH');
  if (statement.from_publisher_id !== owner.publisherId) return refused('OWNER_MISMATCH');
  if (statement.expected_ownership_epoch !== String(owner.ownershipEpoch)) return refused('OWNERSHIP_EPOCH_STALE');
  if (to === owner.publisherId) return refused('SAME_PUBLISHER');
  if (owner.ownershipEpoch >= EPOCH_MAX) return refused('OWNERSHIP_EPOCH_OVERFLOW');
  return { kind: 'moves', toPublisherId: to, nextOwnershipEpoch: owner.ownershipEpoch + 1n };
}

/** Whether a transfer may be accepted. It moves nothing by itself: the operator's acceptance does, in its own transaction (cat:PUB-07). */
export function judgeTransfer(
  owner: AppOwner,
  given: { readonly statement: Buffer; readonly signature: Buffer },
  key: PublisherKey | undefined,
  at: Instant,
): JudgeOwnership {
  const statement = readTransfer(given.statement)?.value;
  if (statement === undefined) return { kind: 'refused', code: 'STATEMENT_SHAPE' };
  const refusal = refusalOfKey(key, owner.publisherId, at);
  if (refusal !== undefined || key === undefined) return { kind: 'refused', code: refusal ?? 'KEY_UNKNOWN' };
  if (statement.key_id !== key.keyId) return { kind: 'refused', code: 'KEY_MISMATCH' };
  if (!signatureHolds(key.publicKey, transferStatement.separator, given.statement, given.signature)) {
    return { kind: 'refused', code: 'SIGNATURE_INVALID' };
  }
  return judge(owner, statement);
}

/** Whether a recovery may commit. */
export function judgeRecovery(owner: AppOwner, statementBytes: Buffer): JudgeOwnership {
  const statement = read(() => recoveryStatement.parse(statementBytes))?.value;
  return statement === undefined ? { kind: 'refused', code: 'STATEMENT_SHAPE' } : judge(owner, statement);
}
