import { explain } from '@connector/connector/reads/explain/explain';
import type { ExplainSources } from '@connector/connector/reads/explain/sources';
import type { Db } from '@connector/platform/db/db';
import type { Findings, History } from './finding';
import type { Rows } from './rows';

const FINISHED: ReadonlySet<string> = new Set(['finalized', 'no_effect']);

/** Every row that still owes something, by the id under which the product explains it. */
export function unfinishedOf(rows: Rows): readonly string[] {
  const effects = new Set<string>(rows.effects.map(({ outbound_command_id }) => outbound_command_id));
  return [
    ...rows.materializations.filter(({ ready_account }) => ready_account !== null).map(({ receipt_id }) => receipt_id),
    ...rows.executions
      .filter(({ ready_account, open_lane }) => (ready_account ?? open_lane) !== null)
      .map(({ execution_id }) => execution_id),
    ...rows.outbound.filter((row) => !effects.has(row.outbound_command_id)).map((row) => row.outbound_command_id),
    ...rows.effects.filter(({ state }) => !FINISHED.has(state)).map(({ effect_id }) => effect_id),
    ...rows.permits.filter(({ open_account }) => open_account !== null).map(({ permit_id }) => permit_id),
  ];
}

const nothing = (): Promise<undefined> => Promise.resolve(undefined);
/** Which reason it is depends neither on when somebody is told nor on what Runtime holds; no credential is asked about. */
const SOURCES: ExplainSources = { alertAfter: nothing, attemptsMax: nothing, handover: nothing, authored: nothing };

/** What the product itself says of them; a row of which it says nothing is absent. */
export async function explainAll(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const id of ids) {
    const answer = await explain(db, id, SOURCES);
    if (answer.kind === 'explained' && answer.explanation.reason !== null) found.set(id, answer.explanation.reason.code);
  }
  return found;
}

/** I15, decisions 13.14: nothing waits without a reason that has a name. */
export function judgeUnfinished({ rows, explained }: History, findings: Findings): void {
  for (const id of unfinishedOf(rows)) findings.must(explained.has(id), `${id} is not finished and nobody says why: it is lost`);
}
