import type { CredentialFence } from '@connector/kernel/brand';
import { CredentialGenerationId } from '@connector/kernel/ids';
import { reenableCredential, type ReenableCredential } from '@connector/connector/transitions/serving/reenable-credential.tx';
import { revokeCredential, type RevokeCredential } from '@connector/connector/transitions/serving/revoke-credential.tx';
import { DECISIONS_PAGE, waitingDecisions } from '@connector/control/reads/credential-decisions';
import {
  decideCredential,
  type DecideCredential,
  type DecidedCredential,
  type StandingDecision,
} from '@connector/control/transitions/decide-credential.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import type { Wake } from '@connector/platform/wake/wake';

/** Before every id. */
const BEGINNING = CredentialGenerationId.of(Buffer.alloc(16));

type Carried = RevokeCredential | ReenableCredential;
export type CredentialAnswer = Carried | Exclude<DecidedCredential, { readonly decision: StandingDecision }>;

/**
 * Decisions and their way to the gate, in two commits. What a crash leaves between them is carried by the next request for the generation or
 * by the loop, under the operation id of the decision: whoever comes second is given the first answer.
 */
export class CredentialDecisions {
  readonly #db: Db;
  readonly #wake: Wake;
  #after = BEGINNING;

  constructor(db: Db, wake: Wake) {
    this.#db = db;
    this.#wake = wake;
  }

  async decide(input: DecideCredential): Promise<CredentialAnswer> {
    const answer = await retrying(ANSWER_SOON, () => decideCredential(this.#db, input));
    if (!('decision' in answer)) return answer;
    const carried = await this.#carry(answer.decision);
    // The asker saw the gate from before a decision that had not arrived there yet.
    return answer.kind === 'other-decision-waits' ? { kind: 'fence-moved', fence: answer.decision.fence } : carried;
  }

  /** One page of decisions that wait; where it stood is worth nothing to anybody else. */
  async once(signal: AbortSignal): Promise<'worked' | 'idle'> {
    const page = await waitingDecisions(this.#db, this.#after);
    for (const row of page) {
      if (signal.aborted) return 'idle';
      await this.#carry({ ...row, operationId: row.operation_id, generationId: row.generation_id });
    }
    this.#after = (page.length < DECISIONS_PAGE ? undefined : page.at(-1)?.generation_id) ?? BEGINNING;
    return this.#after === BEGINNING ? 'idle' : 'worked';
  }

  async #carry({ operationId, generationId, verb, fence, account }: StandingDecision): Promise<Carried> {
    const move = { operationId, generationId, expectedFence: (fence - 1n) as CredentialFence };
    const carry = verb === 'revoke' ? revokeCredential : reenableCredential;
    const answer = await retrying(ANSWER_SOON, (): Promise<Carried> => carry(this.#db, move));
    // Permits under the old fence may be abandoned now, or effects that waited be granted.
    if (answer.kind === 'revoked') this.#wake.emit({ stage: 'abandon', account });
    if (answer.kind === 'reenabled') this.#wake.emit({ stage: 'effect', account });
    return answer;
  }
}
