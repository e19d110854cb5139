import type { GenerationId, IsolationId, TerminationId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { ctlIsolation, ctlTermination } from '@connector/schema/control/control';

const TERMINATION = readRows(ctlTermination, ['termination_id', 'service', 'supervisor'], 'WHERE generation_id = :generation_id');
const ISOLATION = readRows(ctlIsolation, ['isolation_id', 'controller'], 'WHERE generation_id = :generation_id');

/** What is known of the end of one process generation; `undefined` is no proof that it lives. */
export interface GenerationReceipts {
  readonly termination?: { readonly terminationId: TerminationId; readonly service: string; readonly supervisor: string };
  readonly isolation?: { readonly isolationId: IsolationId; readonly controller: string };
}

export async function readGenerationReceipts(db: Db, generationId: GenerationId): Promise<GenerationReceipts> {
  const ended = await db.readOne(TERMINATION, { generation_id: generationId });
  const isolated = await db.readOne(ISOLATION, { generation_id: generationId });
  return {
    ...(ended && { termination: { terminationId: ended.termination_id, service: ended.service, supervisor: ended.supervisor } }),
    ...(isolated && { isolation: { isolationId: isolated.isolation_id, controller: isolated.controller } }),
  };
}
