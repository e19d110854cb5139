import type { ExecutionId } from '@connector/kernel/ids';
import type { LineageNode } from '@connector/connector/model/lineage/lineage';
import { effectOf, type LineageRows } from './lineage-rows';
import { leaf } from './node';

/** The outbound commands of one execution, each with its effect. */
export function commandNodes(rows: LineageRows, executionId: ExecutionId): readonly LineageNode[] {
  return rows.authored
    .filter(({ execution_id: id }) => id === executionId)
    .map((row) => {
      const effect = rows.effects.find(({ effect_id: id }) => id === effectOf(row.outbound_command_id));
      const children = effect === undefined ? [] : [effectNode(rows, effect)];
      const node = leaf(
        'command',
        `Command ${row.intent} · slot ${row.effect_slot}`,
        effect === undefined ? 'authored' : null,
        row.authored_at,
        null,
      );
      return { ...node, id: row.outbound_command_id, children };
    });
}

function effectNode(rows: LineageRows, row: LineageRows['effects'][number]): LineageNode {
  const permits = rows.permits.filter(({ effect_id: id }) => id === row.effect_id).map((permit) => attemptNode(rows, permit));
  const links = rows.links.filter(({ effect_id: id }) => id === row.effect_id).map(linkNode);
  const waits = row.state === 'prepared' ? `due ${row.due_at}` : null;
  const node = leaf('effect', `Effect ${row.account}`, row.state, row.changed_at, row.reason ?? waits);
  return { ...node, id: row.effect_id, children: [...permits, ...links] };
}

/** What a person is told of a call; the words of the effect are for the effect. */
const OUTCOMES: ReadonlyMap<string, string> = new Map([
  ['uncertain', 'unknown'],
  ['remote_confirmed', 'confirmed'],
]);

/** One attempt is its permit and, once that is closed, the evidence of its call. */
function attemptNode(rows: LineageRows, permit: LineageRows['permits'][number]): LineageNode {
  const evidence = rows.evidence.find(({ permit_id: id }) => id === permit.permit_id);
  const text = `attempt ${permit.attempt_ordinal} · permit ${permit.state} · ${permit.holder_id} fence ${permit.holder_fence}`;
  const at = permit.closed_at ?? permit.sending_at ?? permit.granted_at;
  const outcome = evidence === undefined ? permit.state : (OUTCOMES.get(evidence.outcome) ?? evidence.outcome);
  return { ...leaf('attempt', text, outcome, at, evidence?.detail ?? null), id: permit.permit_id };
}

function linkNode(row: LineageRows['links'][number]): LineageNode {
  return { ...leaf('link', `Link ${row.remote_identity}`, row.state, row.linked_at, null), id: row.link_id };
}
