import type { Digest } from '@connector/kernel/digest';
import { PermitId, type OperationId } from '@connector/kernel/ids';
import { readPermitStory, type PermitStory } from '@connector/connector/reads/explain/permit';
import { argument } from '@connector/kernel/faults';
import type { OwnerClient } from './owner-client';
import { type Lookups, notFound } from './lookups';
import { planDigest, type Plan, type PlannedAct } from './plan';
import { RowProblem } from './row-problem';

export interface ConfirmedAbandon {
  readonly permit: string;
  readonly digest: Digest;
  readonly operationId: OperationId;
  readonly by: string;
}

const OPEN = ['granted', 'sending'] as const;

/** Permits that somebody wants closed without their holder: only with both receipts of exactly that process (con:PRMT-05). */
export class Permits {
  constructor(
    private readonly lookups: Lookups,
    private readonly coordinator: OwnerClient,
  ) {}

  async plan(text: string): Promise<PlannedAct> {
    const story = await this.#story(text);
    const plan = abandonPlan(story, story.state);
    if (plan === undefined) throw await this.#refused(story);
    const digest = planDigest(plan);
    return { plan, digest, estimate: {}, confirm: `connector permits abandon ${story.permit_id} --confirm ${digest}` };
  }

  async confirm({ permit, digest, operationId, by }: ConfirmedAbandon) {
    const story = await this.#story(permit);
    const planned = OPEN.find((state) => {
      const plan = abandonPlan(story, state);
      return plan !== undefined && planDigest(plan) === digest;
    });
    if (planned === undefined) throw this.#unknownPlan(story);
    // A closed permit goes on to the door: it may have been this very operation that closed it.
    const isOpen = story.state === 'granted' || story.state === 'sending';
    if (isOpen && story.state !== planned) throw await this.#stale(story, planned);
    const { account, permit_id } = story;
    const answer = await this.coordinator.post('/v1/permits/abandon', { operation_id: operationId, account, permit_ids: [permit_id], by });
    if (answer.status === 200) return { kind: 'abandoned', permit_id, operation_id: operationId } as const;
    throw await this.#refused(await this.#story(permit));
  }

  async #story(text: string): Promise<PermitStory> {
    const id = await this.lookups.idOf(text);
    const story = await readPermitStory(this.lookups.db, argument('permit_id', PermitId, id));
    if (story === undefined) throw notFound(id, 'No such permit.');
    return story;
  }

  async #refused({ permit_id: id, state, termination_id, isolation_id }: PermitStory): Promise<RowProblem> {
    const explanation = await this.lookups.explain(id);
    const closed = state === 'returned' || state === 'abandoned';
    const proofs = `termination ${termination_id ?? 'none'}, isolation ${isolation_id ?? 'none'}`;
    const detail = closed
      ? `${id} is ${state} already; nothing was written.`
      : `${id} stays open: both proofs of its holder are needed (${proofs}). Nothing was written.`;
    const said = { detail, nextSteps: [`connector explain ${id}`], explanation };
    return closed ? new RowProblem('PermitClosed', said) : new RowProblem('PermitHolderUnproven', said);
  }

  #unknownPlan({ permit_id: id }: PermitStory): RowProblem {
    const detail = `This is the digest of no plan to abandon ${id}, so nothing was done.`;
    const nextSteps = [`connector permits abandon ${id} --plan`];
    return new RowProblem('PlanUnknown', { detail, nextSteps });
  }

  async #stale({ permit_id: id, state }: PermitStory, planned: string): Promise<RowProblem> {
    const detail = 'The plan no longer fits, so nothing was done.';
    const nextSteps = [`connector permits abandon ${id} --plan`];
    const explanation = await this.lookups.explain(id);
    return new RowProblem('PlanStale', { detail, nextSteps, expected: { state: planned }, actual: { state }, explanation });
  }
}

/** Holder and receipts never change once they are there; the state is what the plan binds. Undefined without both receipts or once closed. */
function abandonPlan(story: PermitStory, state: string): Plan | undefined {
  const { permit_id: id, holder_id, holder_fence, generation_id, termination_id, isolation_id } = story;
  const open = state === 'granted' || state === 'sending';
  if (!open || generation_id === null || termination_id === null || isolation_id === null) return undefined;
  const becomes = state === 'sending' ? 'uncertain: the call may have been sent' : 'prepared again: nothing was sent';
  return {
    schema: 'connector.plan/v1',
    verb: 'permits.abandon',
    subject: id,
    rung: 2,
    expected: { state, holder: holder_id, holder_fence: holder_fence.toString(), generation_id, termination_id, isolation_id },
    steps: [`lock gate, effect and permit`, `permit ${state} -> abandoned, by both receipts`],
    then: [`its effect becomes ${becomes}`],
    way_back: ['none: an abandoned permit never sends'],
  };
}
