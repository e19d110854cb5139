import { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import type { EpochId } from '@connector/kernel/ids';
import { EventId, ExecutionId, ProjectionId, ReceiptId, type CommandId, type LaneId } from '@connector/kernel/ids';
import { componentDigest, eventDigest, projectionDigest } from '../digests/inbound';
import { executionDigest, executionInputDigest, executionRefDigest, runtimeCommandDigest } from '../digests/execution';
import { laneDigest, partitionOf } from '../ordering/lane';
import { positionBytes, type Place, type PositionKind } from '../ordering/position';
import type { ExtractedItem, RefusedItem, RouteRef } from './delivery';
import type { AccountName } from '@connector/kernel/brand';

/** Where the children of a receipt belong: its account, the epoch that admitted it, and the route of its channel. */
export interface ChildScope {
  readonly account: AccountName;
  readonly epochId: EpochId;
  readonly epochDigest: Digest;
  readonly route: RouteRef;
}

/** Everything that one readable item becomes, with every id and digest made from its content, so that a second run makes the same. */
export interface Child {
  readonly item: ExtractedItem;
  readonly itemDigest: Digest;
  readonly componentDigest: Digest;
  readonly eventId: EventId;
  readonly projectionId: ProjectionId;
  readonly executionId: ExecutionId;
  readonly inputDigest: Digest;
  readonly executionRefDigest: Digest;
  readonly commandId: CommandId;
  /** Null where the route's order does not matter (con:ORD-12). */
  readonly lane: ChildLane | null;
}

/** Which lane a child belongs to, and where in it. */
export interface ChildLane extends Place {
  readonly laneId: LaneId;
  readonly partition: Buffer;
  readonly positionKind: PositionKind;
}

export interface Children {
  readonly receiptId: ReceiptId;
  readonly items: readonly Child[];
  readonly refusals: readonly RefusedItem[];
}

export function childrenOf(scope: ChildScope, receiptId: ReceiptId, items: readonly (ExtractedItem | RefusedItem)[]): Children {
  return {
    receiptId,
    items: items.flatMap((item) => (item.kind === 'item' ? [childOf(scope, receiptId, item)] : [])),
    refusals: items.flatMap((item) => (item.kind === 'refused' ? [item] : [])),
  };
}

function childOf(scope: ChildScope, receiptId: ReceiptId, item: ExtractedItem): Child {
  const event = eventDigest({ account: scope.account, sourceEventKey: item.sourceEventKey, replayRequestId: null });
  const projection = projectionDigest({
    eventId: EventId.bytes(event.id),
    routeIdentity: scope.route.identity,
    epochDigest: scope.epochDigest,
    windowId: null,
  });
  const execution = executionDigest(ProjectionId.bytes(projection.id), 0);
  const inputDigest = executionInputDigest(item.input).digest;
  const ref = executionRefDigest({
    executionId: ExecutionId.bytes(execution.id),
    packGenerationStorageId: scope.route.packGenerationStorageId,
    epochDigest: scope.epochDigest,
    kind: 'inbound-route',
    businessKey: scope.route.businessKey,
    definitionVersion: scope.route.definitionVersion,
    inputDigest,
    replayMode: null,
  }).digest;
  return {
    item,
    itemDigest: Digest.sha256(item.bytes),
    componentDigest: componentDigest(ReceiptId.bytes(receiptId), item.ordinal, item.bytes).digest,
    eventId: event.id,
    projectionId: projection.id,
    executionId: execution.id,
    inputDigest,
    executionRefDigest: ref,
    commandId: runtimeCommandDigest(ref).id,
    lane: laneOf(scope, item),
  };
}

function laneOf(scope: ChildScope, { order }: ExtractedItem): ChildLane | null {
  const ordered = scope.route.ordering.kind !== 'order_independent';
  invariant(ordered === (order !== null), 'HOUSE:connector:OrderOfItem', `${scope.route.businessKey} is ${scope.route.ordering.kind}`);
  if (order === null) return null;
  const partition = partitionOf(scope.account, order.partition);
  return {
    laneId: laneDigest(scope.epochId, scope.route.identity, partition).id,
    partition,
    positionKind: order.position.kind,
    position: positionBytes(order.position),
    tieBreaker: order.tieBreaker === null ? Buffer.alloc(0) : positionBytes(order.tieBreaker),
  };
}
