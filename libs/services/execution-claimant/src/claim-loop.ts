import type { AccountName } from '@connector/kernel/brand';
import { invariant, RetryableFault } from '@connector/kernel/faults';
import { claimCandidates, nextClaimDue, type Candidates } from '@connector/connector/reads/execution/claim-candidates';
import { readSubmission } from '@connector/connector/reads/execution/submission';
import { readDueWork, type DueWork } from '@connector/connector/reads/serving/due-work';
import { readGate, type SeenGate } from '@connector/connector/reads/serving/gates';
import { claimExecutions, type ClaimExecution } from '@connector/connector/transitions/execution/claim-executions.tx';
import { claimLanes, type ClaimLane, type ClaimOfLanes } from '@connector/connector/transitions/execution/claim-lanes.tx';
import { disposeGaps } from '@connector/connector/transitions/execution/dispose-gaps.tx';
import { restWork } from '@connector/connector/transitions/work/rest-work.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { monotonicMs } from '@connector/platform/host/clock';
import type { Led } from '@connector/platform/host/loop';
import type { Log } from '@connector/platform/telemetry/log';
import type { EpochViews } from '@connector/services/epoch-view/src/epoch-views';
import type { ClaimDelays } from './claim-delays';
import type { InHand } from './in-hand';
import { inParallel } from './in-parallel';
import type { RuntimeClient } from './runtime-client';

/** Executions of one account in one claim: a busy account does not keep the others waiting. */
const SHARE_MAX = 20;
const SUBMISSIONS_MAX = 4;

type Claimed = (ClaimExecution | ClaimLane) & { readonly kind: 'claimed' };

/** How often a gate is only tried, and then waited for: against two busy writers trying alone wins one time in fifty. */
const PATIENCE = [{ ifFree: true }, { ifFree: true }, {}] as const;
type Patience = (typeof PATIENCE)[number];

export interface ClaimParts {
  readonly db: Db;
  readonly views: EpochViews;
  readonly runtime: RuntimeClient;
  readonly inHand: InHand;
  readonly claimant: string;
  readonly delays: ClaimDelays;
  readonly log: Log;
}

/**
 * Leases ready executions, of a lane one at a time, and hands each to Runtime. The lease is the retry: what was claimed and lost, here, on the way or in Runtime, is due
 * again when it ends and not before, as the same command under the same id (decisions 13.7). Tries have no cap, because a claim is no
 * authority for I/O and giving up would lose a delivery; from the second on they are told.
 */
export class ClaimLoop {
  readonly #parts: ClaimParts;
  #last: AccountName | undefined;
  #share = SHARE_MAX;

  constructor(parts: ClaimParts) {
    this.#parts = parts;
  }

  /** A gate that somebody holds is passed by twice and waited for the third time (decisions 3.8): waiting at each would stop at the busiest. */
  async once(signal: AbortSignal, led: Led): Promise<'worked' | 'idle'> {
    let claimed = 0;
    let works = after(this.#last, await readDueWork(this.#parts.db, 'execution'));
    const looked = monotonicMs();
    for (const patience of PATIENCE) {
      const busy: DueWork[] = [];
      for (const work of works) {
        const room = signal.aborted ? 0 : await this.#parts.inHand.room();
        if (room === 0) return claimed > 0 ? 'worked' : 'idle';
        this.#last = work.account;
        const claims = await this.#claims(work, Math.min(room, this.#share), patience);
        if (claims === 'gate-busy') {
          busy.push(work);
          continue;
        }
        if (claims.length > 0) this.#parts.delays.note(led, Number(work.due_ms) + monotonicMs() - looked);
        await this.#submitAll(work.account, claims);
        claimed += claims.length;
      }
      works = busy;
    }
    return claimed > 0 ? 'worked' : 'idle';
  }

  async #claims(work: DueWork, limit: number, patience: Patience): Promise<readonly Claimed[] | 'gate-busy'> {
    const { db } = this.#parts;
    const gate = await readGate(db, work.account);
    const rest = { stage: 'execution', account: work.account, producedSeen: work.produced } as const;
    // Whoever lets the account serve again raises every stage, so it may rest until then.
    if (gate?.mode !== 'v2_serving') {
      await restWork(db, { ...rest, dueAt: null });
      return [];
    }
    const candidates = await claimCandidates(db, gate, limit);
    const claimed = await this.#claim(gate, candidates, patience);
    if (claimed === 'gate-busy') return claimed;
    if (candidates.executions.length + candidates.lanes.length < limit)
      await restWork(db, { ...rest, dueAt: await nextClaimDue(db, gate) });
    return claimed;
  }

  async #claim(gate: SeenGate, { executions, lanes }: Candidates, patience: Patience): Promise<readonly Claimed[] | 'gate-busy'> {
    const { db, views, claimant, inHand, log } = this.#parts;
    if (executions.length + lanes.length === 0) return [];
    const account = (await views.of(gate)).account(gate.account);
    invariant(account !== undefined, 'HOUSE:execution-claimant:AccountNotInEpoch', `${gate.account} is not in ${gate.epochId}`);
    const claim = { claimant, leaseMs: account.policies.lease_ms, ...patience };
    const answers: (ClaimExecution | ClaimLane)[] = [];
    if (executions.length > 0) answers.push(...(await retrying(ANSWER_SOON, () => claimExecutions(db, gate, { ...claim, executions }))));
    if (lanes.length > 0) answers.push(...(await this.#claimLanes(gate, { ...claim, lanes })));
    const claimed = answers.filter((answer): answer is Claimed => answer.kind === 'claimed');
    inHand.add(claimed.map(({ executionId }) => executionId));
    for (const { executionId: row, attempt: attempts } of claimed) {
      if (attempts > 1) log.warn('claimed-again', { account: gate.account, row, attempts });
    }
    return claimed.length === 0 && answers.some(({ kind }) => kind === 'gate-busy') ? 'gate-busy' : claimed;
  }

  /** A gap whose deadline has passed is decided by a step of its own, right behind the look that found it. */
  async #claimLanes(gate: SeenGate, claim: ClaimOfLanes): Promise<readonly ClaimLane[]> {
    const { db, log } = this.#parts;
    const answers = await retrying(ANSWER_SOON, () => claimLanes(db, gate, claim));
    const late = claim.lanes.filter((_, index) => answers[index]?.kind === 'gap-due');
    if (late.length === 0) return answers;
    const disposed = await retrying(ANSWER_SOON, () => disposeGaps(db, gate, late));
    disposed.forEach((answer) => {
      const ended = answer.kind === 'quarantined' || answer.kind === 'skipped';
      if (ended) log.warn('gap-deadline', { account: gate.account, row: answer.executionId, kind: answer.kind });
    });
    return answers;
  }

  /** While Runtime cannot be reached one claim a look is enough to see when it can be again: each that is lost waits for its lease. */
  async #submitAll(account: AccountName, claimed: readonly Claimed[]): Promise<void> {
    try {
      await inParallel(claimed, SUBMISSIONS_MAX, (claim) => this.#submit(account, claim));
      if (claimed.length > 0) this.#share = Math.min(SHARE_MAX, this.#share * 2);
    } catch (thrown) {
      if (thrown instanceof RetryableFault) this.#share = 1;
      throw thrown;
    }
  }

  async #submit(account: AccountName, { executionId: row, attempt: attempts }: Claimed): Promise<void> {
    const submission = await readSubmission(this.#parts.db, row);
    invariant(submission !== undefined, 'HOUSE:execution-claimant:ProjectionMissing', `${row} has no projection`);
    const answer = await this.#parts.runtime.submit(submission);
    if (answer.kind === 'refused') this.#parts.log.error('submission-refused', { account, row, attempts, status: answer.status });
  }
}

/** The accounts in their order, beginning behind the one that had the last turn. */
function after(last: AccountName | undefined, due: readonly DueWork[]): readonly DueWork[] {
  const turn = due.findIndex(({ account }) => account === last) + 1;
  return [...due.slice(turn), ...due.slice(0, turn)];
}
