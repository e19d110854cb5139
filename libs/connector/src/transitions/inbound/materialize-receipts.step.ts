/**
 * OMAT materialize-receipts: the components, events, projections and executions of a receipt, only those that are missing
 *
 * why     A receipt is what came; these are what it means under the epoch that admitted it. Ids and digests are made from the
 *         content, so a second run makes the same rows or none. An item that its lane has passed gets a decision instead of an execution.
 * fence   the standard fence; the receipt's epoch is the gate's.
 * again   The keys of the children. The gate serializes every writer of this account, so a duplicate key is a defect.
 */
import type { Digest } from '@connector/kernel/digest';
import type { EventId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conExecution } from '@connector/schema/connector/execution';
import { conComponent, conComponentRefusal, conEvent, conProjection } from '@connector/schema/connector/inbound';
import { conSupersededDecision } from '@connector/schema/connector/ordering';
import { raiseWork } from '../../fences/account-work';
import type { Lanes } from './lanes-of-items';
import { executionMachine } from '../../model/execution/execution';
import type { Child, Children, ChildScope } from '../../model/inbound/children';
import type { RefusedItem } from '../../model/inbound/delivery';

const KNOWN = readRows(conEvent, ['event_id', 'item_digest'], 'WHERE event_id IN (:event_id)');

/** What became of the items of one call. */
export interface Materialized {
  /** Events that are new, each with one projection and one execution, or one decision that it is superseded. */
  readonly events: number;
  readonly superseded: number;
  /** Items whose event was there already with the same content. */
  readonly repeated: number;
  readonly refused: number;
}

/** `lanes`: those of all these items, locked before anything that stands behind lanes in the lock order (con:OMAT-L). */
export async function materialize(tx: FencedTx, scope: ChildScope, lanes: Lanes, receipts: readonly Children[]): Promise<Materialized> {
  const all = receipts.flatMap((receipt) => receipt.items.map((child) => ({ receipt, child })));
  const known = await knownEvents(
    tx,
    all.map(({ child }) => child.eventId),
  );
  const kept: Located[] = [];
  const fresh: Located[] = [];
  const refused = receipts.flatMap((receipt) => receipt.refusals.map((refusal) => ({ receipt, refusal })));
  for (const located of all) {
    const { child, receipt } = located;
    const before = known.get(child.eventId);
    if (before !== undefined && before !== child.itemDigest) {
      refused.push({ receipt, refusal: conflict(child) });
      continue;
    }
    kept.push(located);
    if (before === undefined) fresh.push(located);
    known.set(child.eventId, child.itemDigest);
  }
  const late = fresh.filter(({ child }) => lanes.isLate(child));
  const open = fresh.filter((located) => !late.includes(located));
  await insertChildren(tx, scope, { kept, fresh, open });
  await lanes.take(
    tx,
    scope,
    fresh.map(({ child }) => child),
  );
  await tx.insert(
    conSupersededDecision,
    late.map(({ child }) => lanes.superseded(scope.account, child)),
  );
  await tx.insert(
    conComponentRefusal,
    refused.map(({ receipt, refusal }) => refusalRow(scope, receipt, refusal)),
  );
  if (open.length > 0) await raiseWork(tx, 'execution', [scope.account]);
  return { events: fresh.length, superseded: late.length, repeated: kept.length - fresh.length, refused: refused.length };
}

interface Located {
  readonly receipt: Children;
  readonly child: Child;
}

/** The events of these ids that exist. Their absence may decide: every writer of this account's events holds this gate. */
async function knownEvents(tx: FencedTx, ids: readonly EventId[]): Promise<Map<EventId, Digest>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.read(KNOWN, { event_id: [...new Set(ids)] });
  return new Map(rows.map((row) => [row.event_id, row.item_digest]));
}

/** Two different contents under one source event key: neither is chosen by order; the later one is refused by name (con:INV-25). */
function conflict(child: Child): RefusedItem {
  return {
    kind: 'refused',
    ordinal: child.item.ordinal,
    code: 'SOURCE_EVENT_CONFLICT',
    message: `the source event key was used before for other content; the event is ${child.eventId}`,
  };
}

interface Sorted {
  readonly kept: readonly Located[];
  readonly fresh: readonly Located[];
  /** Fresh ones that the application is still to see. */
  readonly open: readonly Located[];
}

async function insertChildren(tx: FencedTx, scope: ChildScope, { kept, fresh, open }: Sorted): Promise<void> {
  await tx.insert(conComponent, kept.map(componentRow));
  await tx.insert(
    conEvent,
    fresh.map((located) => eventRow(scope, located)),
  );
  await tx.insert(
    conProjection,
    fresh.map(({ child }) => projectionRow(scope, child)),
  );
  await tx.insert(
    conExecution,
    open.map(({ child }) => executionRow(scope, child)),
  );
}

function componentRow({ receipt, child }: Located) {
  return {
    receipt_id: receipt.receiptId,
    ordinal: child.item.ordinal,
    item: child.item.bytes,
    component_digest: child.componentDigest,
    event_id: child.eventId,
  };
}

function refusalRow(scope: ChildScope, receipt: Children, refusal: RefusedItem) {
  return {
    receipt_id: receipt.receiptId,
    ordinal: refusal.ordinal,
    account: scope.account,
    code: refusal.code,
    message: refusal.message,
  };
}

function eventRow(scope: ChildScope, { receipt, child }: Located) {
  return {
    event_id: child.eventId,
    account: scope.account,
    source_event_key: child.item.sourceEventKey,
    kind: child.item.eventKind,
    receipt_id: receipt.receiptId,
    ordinal: child.item.ordinal,
    item_digest: child.itemDigest,
    occurred_at: child.item.occurredAt,
    ordering_contract_digest: child.item.orderingContractDigest,
    ordering_partition: child.lane?.partition ?? null,
    position_kind: child.lane?.positionKind ?? null,
    source_position: child.lane?.position ?? null,
    tie_breaker: child.lane?.tieBreaker ?? null,
    epoch_id: scope.epochId,
  };
}

function projectionRow(scope: ChildScope, child: Child) {
  return {
    projection_id: child.projectionId,
    account: scope.account,
    event_id: child.eventId,
    route_identity: scope.route.identity,
    epoch_id: scope.epochId,
    epoch_digest: scope.epochDigest,
    input: child.item.input,
    input_digest: child.inputDigest,
  };
}

function executionRow(scope: ChildScope, child: Child) {
  return {
    execution_id: child.executionId,
    account: scope.account,
    projection_id: child.projectionId,
    generation: 0,
    active_projection: child.projectionId,
    epoch_id: scope.epochId,
    epoch_digest: scope.epochDigest,
    pack_generation_storage_id: scope.route.packGenerationStorageId,
    kind: 'inbound-route',
    business_key: scope.route.businessKey,
    definition_version: scope.route.definitionVersion,
    input_digest: child.inputDigest,
    execution_ref_digest: child.executionRefDigest,
    command_id: child.commandId,
    state: executionMachine.initial,
    reason: null,
    attempt_count: 0,
    ready_account: child.lane === null ? scope.account : null,
    awaiting_account: null,
    finished_at: null,
    lane_id: child.lane?.laneId ?? null,
    open_lane: child.lane?.laneId ?? null,
    source_position: child.lane?.position ?? null,
    tie_breaker: child.lane?.tieBreaker ?? null,
  };
}
