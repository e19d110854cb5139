import type { GenerationId } from '@connector/kernel/ids';
import { nullable } from '@connector/kernel/column';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conDispatchPermit, conEgressHolderGeneration } from '@connector/schema/connector/outbound';
import { limited } from './limit';

const permit = conDispatchPermit.columns;
const COLUMNS = {
  permit_id: permit.permit_id,
  effect_id: permit.effect_id,
  account: permit.account,
  state: permit.state,
  holder_id: permit.holder_id,
  holder_fence: permit.holder_fence,
  granted_at: permit.granted_at,
  generation_id: nullable(conEgressHolderGeneration.columns.generation_id),
} as const;
const SELECT = `SELECT p.permit_id, p.effect_id, p.account, p.state, p.holder_id, p.holder_fence, p.granted_at, g.generation_id`;
const OPEN_MAX = 500;

const open = (limit: number) =>
  readQuery(
    conDispatchPermit,
    COLUMNS,
    `${SELECT} FROM ${conDispatchPermit.name} p
  LEFT JOIN ${conEgressHolderGeneration.name} g ON g.holder_id = p.holder_id AND g.fence = p.holder_fence
 WHERE p.open_account IS NOT NULL ORDER BY p.open_account, p.permit_id ${limited(limit, OPEN_MAX)}`,
    'open',
  );
const openOf = (limit: number) =>
  readQuery(
    conEgressHolderGeneration,
    COLUMNS,
    `${SELECT} FROM ${conEgressHolderGeneration.name} g
  JOIN ${conDispatchPermit.name} p ON p.holder_id = g.holder_id AND p.holder_fence = g.fence AND p.state IN ('granted', 'sending')
 WHERE g.generation_id = :generation_id ORDER BY p.account, p.permit_id ${limited(limit, OPEN_MAX)}`,
    'open-permits',
  );

/** A permit that keeps its account from `v2_halted`; `generation_id` is the process whose end would have to be proved. */
export type OpenPermit = ReturnType<ReturnType<typeof open>['decode']>;

/** Open permits of all accounts, at most `limit` (1..500), by account. */
export function openPermits(db: Db, limit: number): Promise<readonly OpenPermit[]> {
  return db.read(open(limit), {});
}

/** Open permits of one process generation, at most `limit` (1..500): what is to be abandoned once both its receipts are there. */
export function openPermitsOfGeneration(db: Db, generationId: GenerationId, limit: number): Promise<readonly OpenPermit[]> {
  return db.read(openOf(limit), { generation_id: generationId });
}
