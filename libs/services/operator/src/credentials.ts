import type { Digest } from '@connector/kernel/digest';
import { CredentialGenerationId, type OperationId } from '@connector/kernel/ids';
import { CREDENTIAL_MODES, type CredentialVerb } from '@connector/connector/model/serving/credential-gate';
import { readCredentialUse, type CredentialUse } from '@connector/connector/reads/serving/credential-use';
import { readDecisions, type CredentialDecisionRow } from '@connector/control/reads/credential-decisions';
import { readShownCredential, type ShownCredential } from '@connector/control/reads/credentials';
import { argument } from '@connector/kernel/faults';
import { credentialPlan, type CredentialAct } from './credential-plan';
import { type Lookups, notFound } from './lookups';
import { movedFence, type OwnerAnswer, type OwnerClient } from './owner-client';
import { planDigest, plannedFence, type PlannedAct } from './plan';
import { RowProblem } from './row-problem';

export interface ConfirmedDecision {
  readonly credential: string;
  readonly digest: Digest;
  readonly operationId: OperationId;
  readonly by: string;
  readonly reason: string;
}

/** A generation whose gate is there. */
type Gated = ShownCredential & { readonly mode: string; readonly fence: bigint };

/** Credential generations as people see, stop and release them. Reading is here; deciding is control's. */
export class Credentials {
  constructor(
    private readonly lookups: Lookups,
    private readonly control: OwnerClient,
  ) {}

  async get(text: string) {
    const { db } = this.lookups;
    const shown = await this.#shown(text);
    const decisions = await readDecisions(db, shown.generation_id);
    const use = await readCredentialUse(db, shown.generation_id, shown.account);
    const fence = shown.fence?.toString() ?? null;
    return { ...shown, fence, ...useOf(use), decisions: decisions.map((row) => decisionOf(row, shown)) };
  }

  async plan(verb: CredentialVerb, text: string, final: boolean): Promise<PlannedAct> {
    const gated = await this.#gated(text);
    if (gated.mode !== CREDENTIAL_MODES[verb].from) throw await this.#refused(verb, gated);
    if (verb === 'reenable') await this.#mayReenable(gated);
    const { generation_id: id, account, fence } = gated;
    const plan = credentialPlan({ id, verb, final }, fence);
    const digest = planDigest(plan);
    const estimate = { account, ...useOf(await readCredentialUse(this.lookups.db, id, account)) };
    return { plan, digest, estimate, confirm: `connector credentials ${verb} ${id} --reason "..." --confirm ${digest}` };
  }

  async revoke(decision: ConfirmedDecision) {
    return { kind: 'revoked', ...(await this.#confirm('revoke', decision)) } as const;
  }

  async reenable(decision: ConfirmedDecision) {
    return { kind: 'reenabled', ...(await this.#confirm('reenable', decision)) } as const;
  }

  /** Exactly the plan of that digest, or nothing. The fence is judged by control, so that asking again is answered as the first time. */
  async #confirm(verb: CredentialVerb, { credential, digest, operationId, by, reason }: ConfirmedDecision) {
    const gated = await this.#gated(credential);
    const planned = plannedAct(verb, gated, digest);
    if (planned === undefined) throw unknownPlan(verb, gated);
    const { generation_id: id } = gated;
    const decision = { credential_generation_id: id, expected_fence: planned.fence.toString(), operation_id: operationId, by, reason };
    const final = verb === 'revoke' ? { final: planned.final } : {};
    const answer = await this.control.post(`/v1/credentials/${verb}`, { ...decision, ...final });
    if (answer.status === 200) return { credential: id, fence: movedFence(answer), operation_id: operationId };
    throw await this.#notDecided(verb, id, planned.fence, answer);
  }

  async #shown(text: string): Promise<ShownCredential> {
    const id = await this.lookups.idOf(text);
    const shown = await readShownCredential(this.lookups.db, argument('credential_generation_id', CredentialGenerationId, id));
    if (shown === undefined) throw notFound(id, 'No such credential generation.');
    return shown;
  }

  async #gated(text: string): Promise<Gated> {
    const shown = await this.#shown(text);
    const { mode, fence, generation_id: id } = shown;
    if (mode !== null && fence !== null) return { ...shown, mode, fence };
    const detail = `${id} has no gate yet: nothing is sent with it. Nothing was written.`;
    throw new RowProblem('NoGate', { detail, nextSteps: [`connector explain ${id}`], explanation: await this.lookups.explain(id) });
  }

  /** The decision that stands says whether it may be taken back (con:REE-P). */
  async #mayReenable({ generation_id: id, fence }: Gated): Promise<void> {
    const standing = (await readDecisions(this.lookups.db, id)).find((row) => row.fence === fence);
    if (standing?.final !== true) return;
    const detail = `${id} was revoked for good by ${standing.decided_by}: ${standing.reason}. Nothing was written.`;
    const nextSteps = [`connector credentials get ${id}`];
    throw new RowProblem('RevocationFinal', { detail, nextSteps, explanation: await this.lookups.explain(id) });
  }

  async #refused(verb: CredentialVerb, { generation_id: id, mode }: Gated): Promise<RowProblem> {
    const detail = `${id} is ${mode}; ${verb} needs ${CREDENTIAL_MODES[verb].from}. Nothing was written.`;
    return new RowProblem('NotInMode', { detail, nextSteps: [`connector explain ${id}`], explanation: await this.lookups.explain(id) });
  }

  async #notDecided(verb: CredentialVerb, id: CredentialGenerationId, fence: bigint, answer: OwnerAnswer): Promise<RowProblem> {
    const nextSteps = [`connector credentials get ${id}`, `connector credentials ${verb} ${id} --plan`];
    const explanation = await this.lookups.explain(id);
    if (answer.kind !== 'fence-moved' && answer.kind !== 'not-in-mode') {
      const detail = `Control refused: ${answer.kind}. Nothing was written.`;
      return new RowProblem('Refused', { detail, nextSteps, explanation });
    }
    const now = await this.#gated(id);
    const [last] = await readDecisions(this.lookups.db, id);
    const story = last === undefined ? {} : { by: last.decided_by, at: last.decided_at, reason: last.reason };
    const expected = { mode: CREDENTIAL_MODES[verb].from, fence: fence.toString() };
    const actual = { mode: now.mode, fence: now.fence.toString(), ...story };
    const detail = 'The plan no longer fits, so nothing was done.';
    return new RowProblem('PlanStale', { detail, nextSteps, expected, actual, explanation });
  }
}

function useOf({ epoch, preparedEffects, grantedPermits, sendingPermits, sending }: CredentialUse) {
  return {
    epoch: epoch === null ? 'of no epoch that serves' : `${epoch.id} ${epoch.state}`,
    ...{ prepared_effects: preparedEffects, granted_permits: grantedPermits, sending_permits: sendingPermits },
    not_recalled: [...sending],
  };
}

function decisionOf({ fence, verb, final, decided_by, decided_at, reason, operation_id }: CredentialDecisionRow, shown: ShownCredential) {
  const carried = shown.fence !== null && fence <= shown.fence;
  return { fence: fence.toString(), verb, final, decided_by, decided_at, reason, operation_id, carried };
}

/** The act that a digest was planned for, and its fence; undefined where it is the digest of no plan of this gate. */
function plannedAct(verb: CredentialVerb, { generation_id: id, fence: now }: Gated, digest: Digest) {
  for (const final of verb === 'revoke' ? [false, true] : [false]) {
    const act: CredentialAct = { id, verb, final };
    const fence = plannedFence((at) => credentialPlan(act, at), digest, now);
    if (fence !== undefined) return { fence, final };
  }
  return undefined;
}

function unknownPlan(verb: CredentialVerb, { generation_id: id }: Gated): RowProblem {
  const detail = `This is the digest of no plan to ${verb} ${id}, so nothing was done.`;
  const nextSteps = [`connector credentials ${verb} ${id} --plan`];
  return new RowProblem('PlanUnknown', { detail, nextSteps });
}
