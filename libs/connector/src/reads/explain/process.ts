import { nullable } from '@connector/kernel/column';
import type { GenerationId } from '@connector/kernel/ids';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conEgressHolder, conEgressHolderGeneration } from '@connector/schema/connector/outbound';
import { ctlIsolation, ctlTermination } from '@connector/schema/control/control';
import { finding, type Finding } from '../../model/explain/finding';
import type { Examined } from './examined';

/** The registration of a process, beside the fence that its name has now and both receipts. */
export const REGISTRATION = readQuery(
  conEgressHolderGeneration,
  {
    ...conEgressHolderGeneration.columns,
    current_fence: nullable(conEgressHolder.columns.fence),
    termination_id: nullable(ctlTermination.columns.termination_id),
    isolation_id: nullable(ctlIsolation.columns.isolation_id),
  },
  `SELECT g.holder_id, g.fence, g.generation_id, g.registered_at, h.fence AS current_fence, t.termination_id, i.isolation_id
     FROM ${conEgressHolderGeneration.name} g
     LEFT JOIN ${conEgressHolder.name} h ON h.holder_id = g.holder_id
     LEFT JOIN ${ctlTermination.name} t ON t.generation_id = g.generation_id
     LEFT JOIN ${ctlIsolation.name} i ON i.generation_id = g.generation_id
    WHERE g.generation_id = :generation_id`,
  'registration',
);
const ENDED = readRows(ctlTermination, ['generation_id'], 'WHERE generation_id = :generation_id', 'explained');
const ISOLATED = readRows(ctlIsolation, ['generation_id'], 'WHERE generation_id = :generation_id', 'explained');

type Registration = ReturnType<typeof REGISTRATION.decode>;

/** One start of one process. Only one that registered as a holder can hold a permit, so only its end has to be proved. */
export async function examineProcess(db: Db, id: GenerationId): Promise<Examined | undefined> {
  const about = { kind: 'process generation', id, account: null, basis: null } as const;
  const registered = await db.readOne(REGISTRATION, { generation_id: id });
  if (registered !== undefined) {
    const findings = unproven(registered);
    return { ...about, state: stateOf(registered), findings, finished: findings.length === 0 };
  }
  const ended = await db.readOne(ENDED, { generation_id: id });
  const isolated = await db.readOne(ISOLATED, { generation_id: id });
  if (ended === undefined && isolated === undefined) return undefined;
  return { ...about, state: ended === undefined ? 'isolated' : 'ended', findings: [], finished: true };
}

const isFollowed = ({ current_fence, fence }: Registration): boolean => current_fence === null || current_fence > fence;

function stateOf(row: Registration): string {
  if (row.termination_id !== null) return row.isolation_id === null ? 'ended' : 'ended and isolated';
  if (row.isolation_id !== null) return 'isolated';
  return isFollowed(row) ? 'followed' : 'registered';
}

/** Silence proves nothing: a process whose name it still is counts as alive. */
function unproven(row: Registration): readonly Finding[] {
  const ended = row.termination_id !== null;
  const isolated = row.isolation_id !== null;
  if (ended === isolated && (ended || !isFollowed(row))) return [];
  const seen = ended ? 'has ended' : isolated ? 'is cut off' : 'was followed by another process of its name';
  const missing = ended ? 'isolation' : isolated ? 'end' : 'end and its isolation';
  const { generation_id: id, registered_at: since } = row;
  const values = { holder: `${row.holder_id} under fence ${row.fence}`, seen, missing };
  return [finding('PROCESS_UNPROVEN', values, { subject: id, since, alertFrom: null, basis: null, evidenceId: id })];
}
