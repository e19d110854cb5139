import { LEVEL_MAX } from '@connector/connector/reads/lineage/limits';
import { nodesOf, type Lineage, type LineageCounts, type LineageNode } from '@connector/connector/model/lineage/lineage';
import { whyText } from '@connector/connector/model/execution/why';
import { CONFLICTS_OF_RECEIPT_MAX, WHOLE_BODY } from '@connector/connector/model/inbound/delivery';
import { commandNodes } from './outbound-nodes';
import type { LineageRows } from './lineage-rows';
import { leaf } from './node';

/** The tree of rows below a receipt; pure, so that two looks at the same rows give the same tree. */
export function buildLineage(asked: string, rows: LineageRows): Lineage {
  const root = receiptNode(rows);
  return { schema: 'connector.lineage/v1', asked, root, counts: countsOf(root), epoch: rows.receipt.epoch_id };
}

function receiptNode(rows: LineageRows): LineageNode {
  const { receipt, pending, components, refusals, conflicts } = rows;
  const items = components.length + refusals.length;
  const children = [
    ...components.slice(0, LEVEL_MAX).map((component) => ({ ordinal: component.ordinal, node: componentNode(rows, component) })),
    ...refusals.slice(0, LEVEL_MAX).map((refusal) => ({ ordinal: refusal.ordinal, node: refusalNode(refusal) })),
  ].sort((left, right) => left.ordinal - right.ordinal);
  const size = `${receipt.payload_bytes.toLocaleString('en')} B`;
  const waits =
    pending === undefined ? [] : [leaf('pending', 'waits for the sweep', 'waiting', pending.since, `from item ${pending.next_ordinal} on`)];
  return {
    kind: 'receipt',
    id: receipt.receipt_id,
    text: `Receipt   ${receipt.account} ${receipt.channel} ${receipt.transport_key} · ${items} ${items === 1 ? 'item' : 'items'} · ${size}`,
    state: 'stored',
    at: receipt.admitted_at,
    note: conflicts.length < CONFLICTS_OF_RECEIPT_MAX ? null : `of its conflicts the first ${CONFLICTS_OF_RECEIPT_MAX} are kept`,
    children: [...children.slice(0, LEVEL_MAX).map(({ node }) => node), ...waits, ...conflicts.map(conflictNode)],
    more: components.length > LEVEL_MAX || refusals.length > LEVEL_MAX || children.length > LEVEL_MAX,
  };
}

function refusalNode({ ordinal, code, message, refused_at: at }: LineageRows['refusals'][number]): LineageNode {
  return leaf('refusal', ordinal === WHOLE_BODY ? 'the whole body' : `#${ordinal}`, 'refused', at, `${message} (${code})`);
}

/** The digest is the one that the sender was shown with its refusal. */
function conflictNode({
  payload_digest: digest,
  payload_bytes: bytes,
  key_version: version,
  first_seen_at: at,
}: LineageRows['conflicts'][number]) {
  return leaf(
    'conflict',
    `Conflict  other bytes under the same key · ${bytes.toLocaleString('en')} B`,
    'refused',
    at,
    `${digest}, signed by key version ${version}`,
  );
}

function componentNode(rows: LineageRows, { ordinal, event_id: eventId }: LineageRows['components'][number]): LineageNode {
  const event = rows.events.find((row) => row.event_id === eventId);
  if (event === undefined) return { ...leaf('event', `#${ordinal} Event`, 'not listed', null, null), id: eventId };
  const text = `#${ordinal} Event ${event.kind}`;
  if (event.receipt_id !== rows.receipt.receipt_id) {
    const note = `the same change came first in ${event.receipt_id}`;
    return { ...leaf('repeated', text, 'known before', event.recorded_at, note), id: eventId };
  }
  const projections = rows.projections.filter((row) => row.event_id === eventId).map((row) => projectionNode(rows, row));
  return { ...leaf('event', text, null, event.recorded_at, null), id: eventId, children: projections };
}

function projectionNode(rows: LineageRows, row: LineageRows['projections'][number]): LineageNode {
  const executions = rows.executions.filter(({ projection_id: id }) => id === row.projection_id);
  const [first] = executions;
  const route = first === undefined ? '' : ` ${first.business_key} v${first.definition_version}`;
  const children = executions.map((execution) => executionNode(rows, execution));
  const decision = rows.superseded.find(({ projection_id: id }) => id === row.projection_id);
  const node =
    decision === undefined
      ? leaf('projection', `Projection${route}`, null, row.derived_at, null)
      : leaf('projection', `Projection${route}`, 'superseded', decision.decided_at, `${decision.reason}: the application is not called`);
  return { ...node, id: row.projection_id, children };
}

function executionNode(rows: LineageRows, row: LineageRows['executions'][number]): LineageNode {
  const last = rows.attempts.filter(({ execution_id: id }) => id === row.execution_id).at(-1);
  const by = last === undefined ? 'not claimed' : `attempt ${last.ordinal} · ${last.claimant}`;
  const leased = row.state === 'ready' && last !== undefined ? `leased until ${last.leased_until}` : null;
  const node = leaf('execution', `Execution · ${by}`, row.state, row.finished_at ?? row.minted_at, leased);
  return { ...node, id: row.execution_id, children: resultNodes(rows, row) };
}

/** The Runtime's part: accepted, committed, and what was authored with it. */
function resultNodes(rows: LineageRows, row: LineageRows['executions'][number]): readonly LineageNode[] {
  const command = rows.commands.find(({ command_id: id }) => id === row.command_id);
  if (command === undefined) return [];
  if (command.outcome === null) {
    return [{ ...leaf('handover', 'Command, in the Runtime', 'waiting', command.accepted_at, 'no result yet'), id: row.command_id }];
  }
  const recorded = rows.recorded.some(({ execution_id: id }) => id === row.execution_id);
  const notes = [whyText(command), recorded ? null : 'not recorded yet'].filter((note) => note !== null);
  const node = leaf('result', 'Result', command.outcome, command.committed_at, notes.length === 0 ? null : notes.join('; '));
  return [{ ...node, id: row.command_id, children: commandNodes(rows, row.execution_id) }];
}

const UNFINISHED: ReadonlySet<string> = new Set([
  'ready',
  'waiting_dependency',
  'waiting',
  'authored',
  'prepared',
  'dispatching',
  'uncertain',
  'remote_confirmed',
]);

function countsOf(root: LineageNode): LineageCounts {
  const of = (kind: LineageNode['kind']): number => root.children.filter((child) => child.kind === kind).length;
  const events = root.children.filter(({ kind }) => kind === 'event');
  const outcomes: Record<string, number> = {};
  for (const { kind, state } of nodesOf(root)) {
    if (kind === 'result' && state !== null) outcomes[state] = (outcomes[state] ?? 0) + 1;
  }
  const waiting = root.children.filter((child) => [...nodesOf(child)].some(({ state }) => state !== null && UNFINISHED.has(state)));
  return {
    events: events.length,
    refused: of('refusal'),
    repeated: of('repeated'),
    conflicts: of('conflict'),
    waiting: waiting.length,
    outcomes,
  };
}
