import type { CredentialFence } from '@connector/kernel/brand';
import { nullable } from '@connector/kernel/column';
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
const PAGE = readQuery(
  ctlCredentialDecision,
  { operation_id, generation_id, verb, fence, account, gate_fence: nullable(conCredentialGate.columns.fence) },
  `SELECT d.operation_id, d.generation_id, d.verb, d.fence, d.account, g.fence AS gate_fence
     FROM ${ctlCredentialDecision.name} d
     LEFT JOIN ${conCredentialGate.name} g ON g.generation_id = d.generation_id
    WHERE d.generation_id > :generation_id OR (d.generation_id = :generation_id AND d.fence > :fence)
    ORDER BY d.generation_id, d.fence LIMIT ${DECISIONS_PAGE}`,
  'page',
);
export type CarriedDecision = ReturnType<typeof PAGE.decode>;

/** At most 100 decisions after this place, each beside the fence that its gate has now. */
export function readDecisionPage(
  db: Db,
  after: { readonly generation_id: CredentialGenerationId; readonly fence: CredentialFence },
): Promise<readonly CarriedDecision[]> {
  return db.read(PAGE, { generation_id: after.generation_id, fence: after.fence });
}
