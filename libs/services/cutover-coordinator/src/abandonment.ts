import type { AccountName } from '@connector/kernel/brand';
import { OperationId, type PermitId } from '@connector/kernel/ids';
import { abandonablePermits, type AbandonablePermit } from '@connector/connector/reads/outbound/abandonable-permits';
import { permitPlaces, type PermitPlace } from '@connector/connector/reads/outbound/permit-places';
import {
  ABANDON_MAX,
  abandonPermits,
  type AbandonBatch,
  type AbandonItem,
  type AbandonPermit,
} from '@connector/connector/transitions/outbound/abandon-permits.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import type { Signal } from '@connector/platform/host/signal';
import type { Wake } from '@connector/platform/wake/wake';
import { COORDINATOR } from './names';

const LOOK_MAX = 500;

export interface AbandonRequest {
  readonly operationId: OperationId;
  /** Left out: the one that the permits are of. */
  readonly account?: AccountName;
  /** 1..50, each once. */
  readonly permitIds: readonly PermitId[];
  readonly by: string;
}
export type Abandoned =
  | {
      /** `abandoned`: all of them; `not-found`: none is there. */
      readonly kind: 'abandoned' | 'not-abandoned' | 'not-found';
      readonly permits: readonly (AbandonPermit & { readonly permitId: PermitId })[];
    }
  | { readonly kind: 'several-accounts'; readonly accounts: readonly AccountName[] };

/** Closes the permits that nobody can send any more, by itself once that is proved, and on request. */
export class Abandonment {
  constructor(
    private readonly db: Db,
    private readonly wake: Wake,
    /** Woken where a halt may end by it. */
    private readonly halts: Signal,
  ) {}

  /** One look: everything that is proved, in batches of one account. */
  async once(signal: AbortSignal): Promise<'worked' | 'idle'> {
    let worked = false;
    for (const batch of batchesOf(await abandonablePermits(this.db, LOOK_MAX))) {
      if (signal.aborted) break;
      const answers = await this.#run(batch);
      worked = answers.some(({ kind }) => kind === 'abandoned') || worked;
    }
    return worked ? 'worked' : 'idle';
  }

  async request({ operationId, account: asked, permitIds, by }: AbandonRequest): Promise<Abandoned> {
    const places = new Map((await permitPlaces(this.db, permitIds)).map((place) => [place.permit_id, place]));
    const accounts = [...new Set([...places.values()].map(({ account }) => account))];
    const [account = asked] = asked === undefined ? accounts : [asked];
    if (asked === undefined && accounts.length > 1) return { kind: 'several-accounts', accounts };
    const permits = [...places.values()].map(itemOf);
    const known = account === undefined || permits.length === 0;
    const answers = known ? [] : await this.#run({ operationId, account, requestedBy: by, permits });
    const byPermit = new Map(permits.map(({ permitId }, at) => [permitId, answers[at]]));
    return summary(permitIds.map((permitId) => ({ ...(byPermit.get(permitId) ?? { kind: 'not-found' }), permitId })));
  }

  async #run(batch: AbandonBatch): Promise<readonly AbandonPermit[]> {
    const answers = await retrying(ANSWER_SOON, () => abandonPermits(this.db, batch));
    if (answers.some(({ kind }) => kind === 'abandoned')) {
      this.wake.emit({ stage: 'effect', account: batch.account });
      this.halts.notify();
    }
    return answers;
  }
}

const itemOf = ({ permit_id, effect_id, credential_generation_id }: PermitPlace): AbandonItem => ({
  permitId: permit_id,
  effectId: effect_id,
  credentialGenerationId: credential_generation_id,
});

/** Each batch is one operation, minted before its first try and kept over its retries; a permit that is closed answers the same to any other. */
function batchesOf(permits: readonly AbandonablePermit[]): readonly AbandonBatch[] {
  const accounts = [...new Set(permits.map(({ account }) => account))];
  return accounts.flatMap((account) =>
    chunks(permits.filter((permit) => permit.account === account)).map((chunk) => ({
      operationId: OperationId.mint(),
      account,
      requestedBy: COORDINATOR,
      permits: chunk.map(itemOf),
    })),
  );
}

function chunks<T>(items: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / ABANDON_MAX) }, (_, at) => items.slice(at * ABANDON_MAX, (at + 1) * ABANDON_MAX));
}

function summary(permits: readonly (AbandonPermit & { readonly permitId: PermitId })[]): Abandoned {
  if (permits.every(({ kind }) => kind === 'abandoned')) return { kind: 'abandoned', permits };
  return { kind: permits.every(({ kind }) => kind === 'not-found') ? 'not-found' : 'not-abandoned', permits };
}
