import type { CredentialGenerationId, EffectId } from '@connector/kernel/ids';
import { GenerationId, OperationId, SendToken } from '@connector/kernel/ids';
import type { CallEvidence } from '@connector/connector/model/outbound/evidence';
import { abandonPermits } from '@connector/connector/transitions/outbound/abandon-permits.tx';
import { createEffectsOfFeed } from '@connector/connector/transitions/outbound/create-effects.tx';
import { finalizeEffects } from '@connector/connector/transitions/outbound/finalize-effects.tx';
import { grant } from '@connector/connector/transitions/outbound/grant.tx';
import { registerHolder } from '@connector/connector/transitions/outbound/register-holder.tx';
import { settlePermits } from '@connector/connector/transitions/outbound/settle-permits.tx';
import { startSending } from '@connector/connector/transitions/outbound/start-sending.tx';
import { concludeHalt } from '@connector/connector/transitions/serving/conclude-halt.tx';
import { haltGate } from '@connector/connector/transitions/serving/halt-gate.tx';
import type { Part } from '@connector/testing/explorer/schedule';
import type { ServedAccount } from '@connector/testing/fixtures/account';
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
import { move, watchOf, type Site } from './group';
import type { Watch } from './rows';

/** An account, an adapter and a credential that no other world has. */
export class Outbound {
  readonly #site: Site;
  readonly served: ServedAccount;
  readonly holder: TestHolder;
  readonly credential: CredentialGenerationId;
  #sequence = 0;

  private constructor(site: Site, served: ServedAccount, holder: TestHolder, credential: CredentialGenerationId) {
    this.#site = site;
    [this.served, this.holder, this.credential] = [served, holder, credential];
  }

  static async open(site: Site, served?: ServedAccount, holder?: TestHolder): Promise<Outbound> {
    const account = served ?? (await site.served());
    return site.together(async () => {
      const adapter = holder ?? (await registered(site.schema, `egress-${site.word()}`));
      return new Outbound(site, account, adapter, await enabledCredential(site.schema));
    });
  }

  get watch(): Watch {
    return { ...watchOf(this.served), credentials: [this.credential], holders: [this.holder.holderId] };
  }

  author(): Promise<EffectId> {
    this.#sequence += 1;
    return authored(this.#site.schema, this.served, this.#sequence, this.credential);
  }

  /** A prepared effect that is due. */
  async prepared(): Promise<EffectId> {
    const effect = await this.author();
    await createEffectsOfFeed(this.#site.schema.db, this.served, 200);
    return effect;
  }

  async granted(): Promise<readonly HeldPermit[]> {
    await this.author();
    return granted(this.#site.schema.db, this.served, this.holder);
  }

  sending(permits: readonly HeldPermit[]): Promise<SendToken> {
    return sending(this.#site.schema.db, this.holder, this.credential, permits);
  }

  /** Both receipts that the process of the adapter has ended. */
  async ended(): Promise<void> {
    await terminated(this.#site.schema, this.holder.generationId);
    await isolated(this.#site.schema, this.holder.generationId);
  }

  acquire(effects: readonly EffectId[], slots = 10, holder: TestHolder = this.holder): Part {
    const candidates = { effectIds: effects, credentialGenerationIds: [this.credential] };
    return { name: 'acquire', open: (db) => grant(db, { basis: this.served, holder, slots, candidates, newCommands: 200 }) };
  }

  send(permits: readonly HeldPermit[]): Part {
    const sendToken = SendToken.mint();
    const batch = { ...this.holder, credentialGenerationId: this.credential, sendToken, permits };
    return { name: 'start-sending', open: (db) => startSending(db, batch) };
  }

  settle(token: SendToken, permits: readonly HeldPermit[], evidence: CallEvidence): Part {
    return { name: 'settle', open: (db) => settlePermits(db, settlement(this.served, this.holder, token, permits, evidence)) };
  }

  abandon(permits: readonly HeldPermit[]): Part {
    const batch = { operationId: OperationId.mint(), account: this.served.account, requestedBy: 'test', permits };
    return { name: 'abandon', open: (db) => abandonPermits(db, batch) };
  }

  finalize(effectId: EffectId): Part {
    const batch = { operationId: OperationId.mint(), account: this.served.account, effectIds: [effectId] };
    return { name: 'finalize', open: (db) => finalizeEffects(db, batch) };
  }

  /** The gate is halting already: it moved once. */
  async conclude(): Promise<Part> {
    await haltGate(this.#site.schema.db, move(this.served));
    const asked = move(this.served, 1n);
    return { name: 'conclude-halt', open: (db) => concludeHalt(db, asked) };
  }

  register(): Part {
    const generationId = GenerationId.mint();
    return { name: 'register', open: (db) => registerHolder(db, { holderId: this.holder.holderId, generationId }) };
  }
}
