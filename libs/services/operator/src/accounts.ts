import type { AccountName } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import type { OperationId } from '@connector/kernel/ids';
import { countOpenPermits, readEpochStory, readGateStory, type GateStory } from '@connector/connector/reads/explain/serving';
import { readChannels } from '@connector/connector/reads/lists/channels';
import { readActiveChannelKeys } from '@connector/control/reads/channel-keys';
import { movedFence, type OwnerAnswer, type OwnerClient } from './owner-client';
import type { FrozenPolicies } from './frozen-policies';
import { gatePlan, modeFor, type GateVerb } from './gate-plan';
import { type Lookups, notFound } from './lookups';
import { planDigest, plannedFence, type PlannedAct } from './plan';
import { RowProblem } from './row-problem';

export interface ConfirmedMove {
  readonly account: AccountName;
  readonly digest: Digest;
  readonly operationId: OperationId;
  readonly by: string;
  readonly reason: string;
}

/** Accounts as people see and stop them. Reading is here; moving a gate is the coordinator's. */
export class Accounts {
  constructor(
    private readonly lookups: Lookups,
    private readonly policies: FrozenPolicies,
    private readonly coordinator: OwnerClient,
  ) {}

  async list() {
    return Promise.all((await this.lookups.accounts()).map(async (account) => summaryOf(await this.#gate(account))));
  }

  async get(account: AccountName) {
    const { db } = this.lookups;
    const gate = await this.#gate(account);
    const epoch = await readEpochStory(db, gate.epoch_id);
    const open = await countOpenPermits(db, account);
    return {
      ...summaryOf(gate),
      epoch_state: epoch?.state ?? ('absent' as const),
      open_permits: open,
      channels: await this.#channels(gate),
    };
  }

  async plan(verb: GateVerb, account: AccountName): Promise<PlannedAct> {
    const gate = await this.#gate(account);
    if (gate.mode !== modeFor(verb)) throw await this.#refused(verb, gate);
    const plan = gatePlan(verb, account, gate.fence);
    const digest = planDigest(plan);
    const estimate = { open_permits: await countOpenPermits(this.lookups.db, account), epoch: gate.epoch_id };
    return { plan, digest, estimate, confirm: `connector accounts ${verb} ${account} --reason "..." --confirm ${digest}` };
  }

  async halt(move: ConfirmedMove) {
    return { kind: 'halting', ...(await this.#confirm('halt', move)) } as const;
  }

  async resume(move: ConfirmedMove) {
    return { kind: 'serving', ...(await this.#confirm('resume', move)) } as const;
  }

  /** Exactly the plan of that digest, or nothing. The fence is judged by the door, so that asking again is answered as the first time. */
  async #confirm(verb: GateVerb, move: ConfirmedMove) {
    const gate = await this.#gate(move.account);
    const fence = plannedFence((at) => gatePlan(verb, move.account, at), move.digest, gate.fence);
    if (fence === undefined) throw unknownPlan(verb, move.account);
    const { account, operationId: operation_id, by, reason } = move;
    const answer = await this.coordinator.post(`/v1/accounts/${verb}`, {
      account,
      expected_fence: fence.toString(),
      operation_id,
      by,
      reason,
    });
    if (answer.status === 200) return { account, fence: movedFence(answer), operation_id };
    throw await this.#notMoved(verb, move.account, fence, answer);
  }

  async #gate(account: AccountName): Promise<GateStory> {
    const gate = await readGateStory(this.lookups.db, account);
    if (gate === undefined) throw notFound(`account/${account}`, 'No such account serves here.');
    return gate;
  }

  async #channels(gate: GateStory) {
    const { db } = this.lookups;
    const view = await this.policies.accountOf({ account: gate.account, epochId: gate.epoch_id, epochDigest: gate.epoch_digest });
    const rows = await readChannels(db, gate.account);
    return Promise.all(
      rows.map(async ({ channel }) => {
        const frozen = view?.channel(channel);
        const active = await readActiveChannelKeys(db, gate.account, channel);
        const keys = (active?.keys ?? []).map(({ keyVersion, secretPath, secretVersion }) => ({
          ...{ version: keyVersion, secret_path: secretPath, secret_version: secretVersion },
        }));
        const route = frozen?.route;
        return {
          ...{ channel, scheme: frozen?.scheme ?? null, route: route?.ref.businessKey ?? null },
          ...{ transport_key_header: route?.route.transportKeyHeader ?? null, keys },
        };
      }),
    );
  }

  async #refused(verb: GateVerb, gate: GateStory): Promise<RowProblem> {
    const detail = `${gate.account} is ${gate.mode}; ${verb} needs ${modeFor(verb)}. Nothing was written.`;
    const nextSteps = [`connector explain account/${gate.account}`];
    return new RowProblem('NotInMode', { detail, nextSteps, explanation: await this.lookups.explain(`account/${gate.account}`) });
  }

  async #notMoved(verb: GateVerb, account: AccountName, fence: bigint, answer: OwnerAnswer): Promise<RowProblem> {
    const nextSteps = [`connector accounts get ${account}`, `connector accounts ${verb} ${account} --plan`];
    const explanation = await this.lookups.explain(`account/${account}`);
    if (answer.kind !== 'fence-moved' && answer.kind !== 'not-in-mode') {
      const detail = `The coordinator refused: ${answer.kind}. Nothing was written.`;
      return new RowProblem('Refused', { detail, nextSteps, explanation });
    }
    const gate = await this.#gate(account);
    const expected = { mode: modeFor(verb), fence: fence.toString() };
    const actual = { mode: gate.mode, fence: gate.fence.toString(), by: gate.changed_by, at: gate.changed_at, reason: gate.reason };
    const detail = 'The plan no longer fits, so nothing was done.';
    return new RowProblem('PlanStale', { detail, nextSteps, expected, actual, explanation });
  }
}

function summaryOf(gate: GateStory) {
  const { account, mode, fence, epoch_id: epoch, changed_by, changed_at, reason } = gate;
  return { account, mode, fence: fence.toString(), epoch, changed_by, changed_at, reason };
}

function unknownPlan(verb: GateVerb, account: AccountName): RowProblem {
  const detail = `This is the digest of no plan to ${verb} ${account}, so nothing was done.`;
  const nextSteps = [`connector accounts ${verb} ${account} --plan`];
  return new RowProblem('PlanUnknown', { detail, nextSteps });
}
