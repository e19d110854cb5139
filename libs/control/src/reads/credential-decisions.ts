import type { CredentialGenerationId } from '@connector/kernel/ids';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conCredentialGate } from '@connector/schema/connector/serving';
import { ctlCredentialDecision } from '@connector/schema/control/control';

const NEWEST = readRows(
  ctlCredentialDecision,
  ['fence', 'verb', 'final', 'operation_id', 'decided_by', 'reason', 'decided_at'],
  'WHERE generation_id = :generation_id ORDER BY fence DESC LIMIT 50',
  'newest',
);
export type CredentialDecisionRow = ReturnType<typeof NEWEST.decode>;

/** What was decided of one generation, newest first, at most 50. */
export function readDecisions(db: Db, generationId: CredentialGenerationId): Promise<readonly CredentialDecisionRow[]> {
  return db.read(NEWEST, { generation_id: generationId });
}

export const DECISIONS_PAGE = 100;
const { operation_id, generation_id, verb, fence, account } = ctlCredentialDecision.columns;
/** From the gates and not from the decisions, whose history only grows: of the next fence there is one decision or none. */
const WAITING = readQuery(
  ctlCredentialDecision,
  { operation_id, generation_id, verb, fence, account },
  `SELECT d.operation_id, d.generation_id, d.verb, d.fence, d.account
     FROM ${conCredentialGate.name} g
     JOIN ${ctlCredentialDecision.name} d ON d.generation_id = g.generation_id AND d.fence = g.fence + 1
    WHERE g.generation_id > :generation_id ORDER BY g.generation_id LIMIT ${DECISIONS_PAGE}`,
  'waiting',
);
export type WaitingDecision = ReturnType<typeof WAITING.decode>;

/** At most 100 decisions that their gates do not obey yet, of generations after this one. */
export function waitingDecisions(db: Db, after: CredentialGenerationId): Promise<readonly WaitingDecision[]> {
  return db.read(WAITING, { generation_id: after });
}
