import type { Instant } from '@connector/kernel/brand';
import { DefectFault } from '@connector/kernel/faults';
import type { Db } from '@connector/platform/db/db';
import { later, type Alert, type Explanation } from '../../model/explain/explanation';
import { inTierOrder, type Finding, type PolicyBasis } from '../../model/explain/finding';
import type { Reason, ReasonVerdict } from '../../model/explain/reason';
import { REASONS } from '../../model/explain/reasons';
import { rootOf } from '../lineage/root';
import { readEvidence } from './evidence';
import type { Examined } from './examined';
import { examine } from './examine';
import { databaseTime, readEpochStory, readGateStory, type GateStory } from './serving';
import type { ExplainSources } from './sources';

export type Explained =
  | { readonly kind: 'explained'; readonly explanation: Explanation }
  | { readonly kind: 'not-found' }
  /** No row of this path has such an id. */
  | { readonly kind: 'no-such-kind' };

/** Why this row waits, whose move it is and what may be done (con:LIV-02 to con:LIV-06). A pure read: it decides nothing. */
export async function explain(db: Db, id: string, sources: ExplainSources): Promise<Explained> {
  const examined = await examineWhole(db, sources, id);
  if (examined === undefined) return { kind: 'not-found' };
  if (examined === 'no-such-kind') return { kind: 'no-such-kind' };
  return { kind: 'explained', explanation: await explanationOf(db, examined, sources) };
}

/** A row may move between two plain looks; one that is still unfinished and without a reason after a second look is our mistake. */
async function examineWhole(db: Db, sources: ExplainSources, id: string): Promise<Examined | 'no-such-kind' | undefined> {
  for (let look = 1; ; look += 1) {
    const examined = await examine(db, sources, id);
    if (examined === undefined || examined === 'no-such-kind') return examined;
    if (examined.finished || examined.findings.length > 0) return examined;
    if (look === 3)
      throw new DefectFault('HOUSE:connector:Unexplained', `${examined.kind} ${id} is ${examined.state} and no reason says why`);
  }
}

async function explanationOf(db: Db, examined: Examined, sources: ExplainSources): Promise<Explanation> {
  const [first, ...rest] = inTierOrder(distinct(examined.findings));
  const now = await databaseTime(db);
  const about = {
    schema: 'connector.explain/v1',
    subject: { kind: examined.kind, id: examined.id, state: examined.state, root: (await rootOf(db, examined.id)) ?? null },
    as_of: await asOf(db, examined, first?.basis ?? examined.basis, now),
    blocks: blocksOf(examined, await gateOf(db, examined)),
  } as const;
  if (first === undefined) return { ...about, ...NOTHING_OWED };
  return { ...about, ...(await owed(db, first, rest, sources, now)) };
}

const NOTHING_OWED = {
  verdict: 'done',
  reason: null,
  owner: null,
  alert: null,
  policy: null,
  also: [],
  evidence: null,
  may: [],
  will_not_help: [],
} as const;

type Owed = Omit<Explanation, 'schema' | 'subject' | 'as_of' | 'blocks'>;

async function owed(db: Db, first: Finding, rest: readonly Finding[], sources: ExplainSources, now: Instant): Promise<Owed> {
  const reason: Reason = REASONS[first.code];
  const alert = await alertOf(first, reason, sources, now);
  const rows = await readEvidence(db, sources, reason.evidence, first.evidenceId);
  const { code, headline, since, subject } = first;
  return {
    verdict: alert?.passed === true ? escalated(reason.verdict) : reason.verdict,
    reason: { code, tier: reason.tier, class: reason.class, headline, since, subject },
    owner: { role: reason.owner },
    alert,
    policy: first.policy ?? null,
    also: rest.map((other) => ({ code: other.code, headline: other.headline, subject: other.subject })),
    evidence: { query: reason.evidence, params: { id: first.evidenceId }, count: rows.length, rows },
    may: first.may,
    will_not_help: reason.willNotHelp,
  };
}

/** A time that passed tells somebody and makes nothing safe (con:LIV-10). */
function escalated(verdict: ReasonVerdict): ReasonVerdict {
  return verdict === 'refused' ? verdict : 'needs_person';
}

async function alertOf({ alertFrom, basis }: Finding, reason: Reason, sources: ExplainSources, now: Instant): Promise<Alert | null> {
  if (reason.alert === null || alertFrom === null || basis === null) return null;
  const times = await sources.alertAfter(basis);
  const afterMs = times?.afterMs[reason.alert];
  if (times === undefined || afterMs === undefined) return null;
  const at = later(alertFrom, afterMs);
  return { at, declared_by: times.declaredBy, passed: at <= now, effect: 'notify_only' };
}

/** None where the row belongs to no one account. */
async function gateOf(db: Db, { account }: Examined): Promise<GateStory | undefined> {
  return account === null ? undefined : readGateStory(db, account);
}

async function asOf(db: Db, examined: Examined, basis: PolicyBasis | null, now: Instant): Promise<Explanation['as_of']> {
  const gate = await gateOf(db, examined);
  const epochId = basis?.epochId ?? gate?.epoch_id;
  const epoch = epochId === undefined ? undefined : await readEpochStory(db, epochId);
  return {
    database_time: now,
    gate: gate === undefined ? null : { account: gate.account, mode: gate.mode, fence: gate.fence.toString() },
    epoch: epoch === undefined ? null : { id: epoch.epochId, state: epoch.state },
  };
}

/** An open permit keeps its account from being held. */
function blocksOf({ kind, finished, account }: Examined, gate: { readonly mode: string } | undefined): Explanation['blocks'] {
  if (kind !== 'permit' || finished || account === null || gate?.mode !== 'halting_v2') return [];
  return [{ kind: 'gate', id: account, transition: 'halting_v2 -> v2_halted' }];
}

/** A stopped account holds back every row below a receipt; it is said once. */
function distinct(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((each) => [`${each.code} ${each.subject} ${each.headline}`, each])).values()];
}
