import type { Db } from '@connector/platform/db/db';
import type { EffectId, PermitId } from '@connector/kernel/ids';
import type { Entry } from '@connector/services/provider-simulator/src/entry';
import {
  judgeBindings,
  judgeInstallations,
  judgeOwners,
  judgePublications,
  judgeRevisions,
  judgeSecurity,
  judgeTuples,
  judgeViews,
} from './audit/apps';
import { judgeEnded, judgeGrants, judgeReferences } from './audit/endings';
import { judgeCredentials } from './audit/credentials';
import { judgeExecutions } from './audit/execution';
import { Findings, type History } from './audit/finding';
import { judgeDeliveries, judgeItems } from './audit/inbound';
import { judgeGates, judgeMoves } from './audit/moves';
import { judgeCommands, judgeEffects } from './audit/outbound';
import { judgePermits } from './audit/permits';
import { judgeProvider } from './audit/provider';
import { readAllRows } from './audit/rows';
import { explainAll, judgeUnfinished, unfinishedOf } from './audit/unfinished';
import type { Sent } from './source';

export interface Audit {
  /** What is wrong, one sentence each; none is what every run must end with. */
  readonly findings: readonly string[];
  /** Calls of which nobody knows whether the provider made them: listed, never guessed. */
  readonly uncertain: readonly EffectId[];
  readonly openPermits: readonly PermitId[];
  /** Unfinished rows with the reason that the product gives. */
  readonly waiting: ReadonlyMap<string, string>;
  readonly counts: { readonly receipts: number; readonly effects: number; readonly permits: number; readonly executed: number };
}

const JUDGES: readonly ((history: History, findings: Findings) => void)[] = [
  judgeDeliveries,
  judgeItems,
  judgeExecutions,
  judgeCommands,
  judgeEffects,
  judgePermits,
  judgeProvider,
  judgeGates,
  judgeCredentials,
  judgeMoves,
  judgeInstallations,
  judgePublications,
  judgeTuples,
  judgeRevisions,
  judgeViews,
  judgeBindings,
  judgeReferences,
  judgeEnded,
  judgeOwners,
  judgeSecurity,
  judgeGrants,
  judgeUnfinished,
];

/** The three ledgers against each other (reliability 3.1: I1 to I6, I11, I15). Pure: it can be shown a history that never happened. */
export function judge(history: History): Audit {
  const findings = new Findings();
  for (const judgeOne of JUDGES) {
    try {
      judgeOne(history, findings);
    } catch (thrown) {
      // A word that no machine has, a request that cannot be read: the row is wrong, and the other judges go on.
      findings.must(false, thrown instanceof Error ? thrown.message : String(thrown));
    }
  }
  const { effects, permits, receipts } = history.rows;
  return {
    findings: findings.sentences,
    uncertain: effects.filter(({ state }) => state === 'uncertain').map(({ effect_id }) => effect_id),
    openPermits: permits.filter(({ open_account }) => open_account !== null).map(({ permit_id }) => permit_id),
    waiting: history.explained,
    counts: {
      receipts: receipts.length,
      effects: effects.length,
      permits: permits.length,
      executed: history.provider.filter(({ executed }) => executed).length,
    },
  };
}

export interface Audited {
  readonly db: Db;
  readonly source: { readonly sent: readonly Sent[] };
  readonly provider: { entries(): Promise<readonly Entry[]> };
}

/** Reads all three ledgers of a quiet system and judges them. */
export async function auditSystem({ db, source, provider }: Audited): Promise<Audit> {
  const rows = await readAllRows(db);
  const explained = await explainAll(db, unfinishedOf(rows));
  return judge({ rows, sent: source.sent, provider: await provider.entries(), explained });
}
