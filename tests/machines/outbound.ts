import { Digest } from '@connector/kernel/digest';
import { ownerSlot } from '@connector/connector/model/outbound/link';
import { EffectId, OperationId, PermitId, type CredentialGenerationId, type SendToken } from '@connector/kernel/ids';
import { finalizeEffects } from '@connector/connector/transitions/outbound/finalize-effects.tx';
import { settlePermits } from '@connector/connector/transitions/outbound/settle-permits.tx';
import { abandonPermits } from '@connector/connector/transitions/outbound/abandon-permits.tx';
import { grant } from '@connector/connector/transitions/outbound/grant.tx';
import type { CallEvidence } from '@connector/connector/model/outbound/evidence';
import type { TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import {
  authored,
  enabledCredential,
  granted,
  isolated,
  registered,
  sending,
  settlement,
  terminated,
  type HeldPermit,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import type { Tap } from './tap';

/** One command of an account of its own, with a permit for its first attempt. */
export interface Call {
  readonly served: ServedAccount;
  readonly holder: TestHolder;
  readonly credential: CredentialGenerationId;
  readonly permit: HeldPermit;
}
export interface Sending extends Call {
  readonly token: SendToken;
}

export const effectKey = ({ permit }: Call) => ({ effect_id: EffectId.bytes(permit.effectId) });
export const permitKey = ({ permit }: Call) => ({ permit_id: PermitId.bytes(permit.permitId) });

/** Calls as the doors make them, each beside the others and touching none of them. */
export class Calls {
  readonly #schema: TestSchema;
  readonly #tap: Tap;
  #count = 0;

  constructor(schema: TestSchema, tap: Tap) {
    this.#schema = schema;
    this.#tap = tap;
  }

  async granted(): Promise<Call> {
    this.#count += 1;
    const [served] = (await serveAccounts(this.#schema, [`n${this.#count}/acme`])) as [ServedAccount];
    const holder = await registered(this.#schema, `egress-${this.#count}`);
    const credential = await enabledCredential(this.#schema);
    await authored(this.#schema, served, 1, credential);
    const [permit] = (await granted(this.#tap.db, served, holder)) as readonly [HeldPermit];
    return { served, holder, credential, permit };
  }

  async sending(): Promise<Sending> {
    const call = await this.granted();
    return { ...call, token: await sending(this.#tap.db, call.holder, call.credential, [call.permit]) };
  }

  async settled(evidence: CallEvidence): Promise<Sending> {
    const call = await this.sending();
    await this.settle(call, evidence);
    return call;
  }

  settle(call: Sending, evidence: CallEvidence): Promise<unknown> {
    return settlePermits(this.#tap.db, settlement(call.served, call.holder, call.token, [call.permit], evidence));
  }

  readonly finalize = ({ served, permit }: Call): Promise<unknown> =>
    finalizeEffects(this.#tap.db, { operationId: OperationId.mint(), account: served.account, effectIds: [permit.effectId] });

  /** The feed stands before the command again, as if its effect had never been made. */
  async rewound(): Promise<Call> {
    const call = await this.granted();
    await this.#schema.sql('UPDATE con_effect_feed SET next_seq = 1 WHERE account = ?', [Buffer.from(call.served.account)]);
    return call;
  }

  /** The local side of the link that its effect would get. */
  async place({ permit }: Call): Promise<string> {
    const id = EffectId.bytes(permit.effectId);
    const [row] = await this.#schema.sql('SELECT effect_root, effect_slot FROM run_outbound_command WHERE outbound_command_id = ?', [id]);
    return ownerSlot(Digest.of(row?.['effect_root'] as Buffer), String(row?.['effect_slot']));
  }

  /** Both receipts of the process that holds the permit. */
  async ended<C extends Call>(call: C): Promise<C> {
    await terminated(this.#schema, call.holder.generationId);
    await isolated(this.#schema, call.holder.generationId);
    return call;
  }

  readonly abandon = ({ served, permit }: Call): Promise<unknown> =>
    abandonPermits(this.#tap.db, { operationId: OperationId.mint(), account: served.account, requestedBy: 'test', permits: [permit] });

  readonly grant = ({ served, holder, credential, permit }: Call): Promise<unknown> => {
    const candidates = { effectIds: [permit.effectId], credentialGenerationIds: [credential] };
    return grant(this.#tap.db, { basis: served, holder, slots: 100, candidates, newCommands: 200 });
  };

  /** The effect is due as it was before its first attempt. Its permit stays, unless it is in the way of another one. */
  async untried(call: Call, permitStays = false): Promise<Call> {
    const [account, effect] = [Buffer.from(call.served.account), EffectId.bytes(call.permit.effectId)];
    if (!permitStays) await this.#schema.sql('DELETE FROM con_dispatch_permit WHERE effect_id = ?', [effect]);
    await this.#schema.sql('DELETE FROM con_effect_attempt WHERE effect_id = ?', [effect]);
    await this.#schema.sql('UPDATE con_remote_effect SET ready_account = ?, attempt_count = 0 WHERE effect_id = ?', [account, effect]);
    return call;
  }
}
