import type { Digest } from '@connector/kernel/digest';
import { closed, DECIMAL, oneOf } from '@connector/kernel/document-shape';
import { InputFault, invariant } from '@connector/kernel/faults';
import { AttemptId, type OperationId } from '@connector/kernel/ids';
import { readBarriersOf, readHeldBarriers } from '@connector/catalog/reads/barriers';
import { BARRIER_OWNERS, type HeldBarrier, type OwnedBarrier } from '@connector/connector/model/serving/barriers';
import { readReleasing } from '@connector/connector/reads/serving/releasing';
import { readHeldPackBarriers, readPackBarriersOf } from '@connector/packs/reads/barriers';
import type { Db } from '@connector/platform/db/db';
import { BARRIERS } from './api/barriers';
import { idOf, some, STRING, wordOf } from './api/shapes';
import { holds, releasePlan } from './barrier-plan';
import type { OwnerClient } from './owner-client';
import { planDigest, type PlannedAct } from './plan';
import { RowProblem } from './row-problem';
import { shownAs } from './shown';

export interface ConfirmedRelease {
  readonly attempt: AttemptId;
  readonly digest: Digest;
  readonly operationId: OperationId;
  readonly by: string;
  readonly reason: string;
}

/** As the coordinator says it. */
const OPENED = closed({
  kind: oneOf('released'),
  barriers: some(
    closed(
      { owner: wordOf(BARRIER_OWNERS), organization: STRING, attempt_id: idOf(AttemptId), barrier_fence: DECIMAL },
      { installation: STRING },
    ),
  ),
});
const listed = shownAs(BARRIERS);
const opened = shownAs(OPENED);
const rowOf = ({ owner, organization, installation, attemptId, barrierFence }: OwnedBarrier) => ({
  ...{ owner, organization, installation: installation ?? null, attemptId, barrierFence },
});

/** Publication barriers as people see them and let them go (cat:INT-17). Reading is here; releasing is the coordinator's. */
export class Barriers {
  constructor(
    private readonly db: Db,
    private readonly coordinator: OwnerClient,
  ) {}

  async list() {
    const [catalog, packs] = [await readHeldBarriers(this.db), await readHeldPackBarriers(this.db)];
    return listed({ rows: owned(catalog.held, packs.held).map(rowOf), more: catalog.more || packs.more });
  }

  async plan(attempt: AttemptId): Promise<PlannedAct> {
    const barriers = await this.#heldBy(attempt);
    if (barriers.length === 0) throw nothingHeld(attempt);
    const plan = releasePlan(attempt, barriers);
    const digest = planDigest(plan);
    const confirm = `connector barriers release ${attempt} --reason "..." --confirm ${digest}`;
    return { plan, digest, estimate: { barriers: barriers.length }, confirm };
  }

  async release(release: ConfirmedRelease) {
    const { attempt, operationId, by, reason } = release;
    const barriers = await this.#planned(release);
    const answer = await this.coordinator.post('/v1/publication-barriers/release', {
      ...{ attempt_id: attempt, operation_id: operationId, by, reason },
      barriers: barriers.map(({ owner, organization, installation, barrierFence }) => ({
        ...{ owner, organization, barrier_fence: barrierFence.toString() },
        ...(installation === undefined ? {} : { installation }),
      })),
    });
    if (answer.status === 200) {
      const open = opened(Object.fromEntries(answer.body)).barriers.map((one) => ({ ...one, installation: one.installation ?? null }));
      return { kind: 'released', attempt_id: attempt, barriers: open, operation_id: operationId } as const;
    }
    if (answer.kind === 'moved') throw moved(attempt, holds(barriers), holds(await this.#heldBy(attempt)));
    invariant(answer.status === 400, 'HOUSE:operator:AnswerUnknown', `the coordinator answered ${answer.status} ${answer.kind}`);
    throw new InputFault(String(answer.body.get('code')), String(answer.body.get('detail')));
  }

  /** What the plan of that digest releases. An operation that has begun goes on to the door: it may be this very one that opened some of it. */
  async #planned({ attempt, digest, operationId }: ConfirmedRelease): Promise<readonly OwnedBarrier[]> {
    const barriers = (await readReleasing(this.db, operationId)) ?? (await this.#heldBy(attempt));
    if (barriers.length === 0) throw nothingHeld(attempt);
    const plan = planDigest(releasePlan(attempt, barriers));
    if (plan !== digest) throw moved(attempt, { plan: digest }, { plan, ...holds(barriers) });
    return barriers;
  }

  /** However many others hold something: an attempt is asked for by its name, and not looked for among those that are shown. */
  async #heldBy(attempt: AttemptId): Promise<readonly OwnedBarrier[]> {
    return owned(await readBarriersOf(this.db, attempt), await readPackBarriersOf(this.db, attempt));
  }
}

function owned(catalog: readonly HeldBarrier[], packs: readonly HeldBarrier[]): readonly OwnedBarrier[] {
  return [
    ...catalog.map((held) => ({ owner: 'catalog' as const, ...held })),
    ...packs.map((held) => ({ owner: 'packs' as const, ...held })),
  ];
}

function nothingHeld(attempt: AttemptId): RowProblem {
  const detail = `${attempt} holds no publication barrier, or none any more. Nothing was written.`;
  return new RowProblem('NotFound', { detail, nextSteps: ['connector barriers list'] });
}

function moved(attempt: AttemptId, expected: object, actual: object): RowProblem {
  const detail = 'It does not hold what that plan releases, or a newer run of it does, so nothing was released.';
  const nextSteps = ['connector barriers list', `connector barriers release ${attempt} --plan`];
  return new RowProblem('CatalogMoved', { detail, expected, actual, nextSteps });
}
