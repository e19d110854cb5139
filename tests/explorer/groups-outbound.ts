import type { CommandId, CredentialGenerationId, EffectId } from '@connector/kernel/ids';
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
import type { RuntimeCommand } from '@connector/runtime/transitions/accept-command.tx';
import { acceptCommand } from '@connector/runtime/transitions/accept-command.tx';
import { commitApplication, type ApplicationCommit } from '@connector/runtime/transitions/commit-application.tx';
import type { Part } from '@connector/testing/explorer/schedule';
import type { ServedAccount } from '@connector/testing/fixtures/account';
import { acceptedCommand, commitOf, outboundOf } from '@connector/testing/fixtures/application';
import { runtimeCommand } from '@connector/testing/fixtures/execution';
import {
  authored,
  CONFIRMED,
  enabledCredential,
  granted,
  isolated,
  registered,
  sending,
  settlement,
  terminated,
  UNCERTAIN,
  type HeldPermit,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import { move, watchOf, type Group, type Site, type World } from './group';
import { halt } from './groups-inbound';
import type { Watch } from './rows';

/** An account, an adapter and a credential that no other world has. */
class Outbound {
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
    const adapter = holder ?? (await registered(site.schema, `egress-${site.word()}`));
    return new Outbound(site, served ?? (await site.served()), adapter, await enabledCredential(site.schema));
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

const author = (commit: ApplicationCommit): Part => ({ name: 'author', open: (db) => commitApplication(db, commit) });
const withCommands = (watch: Watch, ...commands: readonly Pick<RuntimeCommand, 'commandId'>[]): Watch => ({
  ...watch,
  commands: commands.map(({ commandId }): CommandId => commandId),
});

async function twoRuns(site: Site): Promise<World> {
  const served = await site.served();
  const command = await acceptedCommand(site.schema, served);
  const commands = [outboundOf(command, served)];
  const second = commitOf(served, command, { commands, outcome: 'noop' });
  return { parts: [author(commitOf(served, command, { commands })), author(second)], watch: withCommands(watchOf(served), command) };
}

async function twoRecords(site: Site): Promise<World> {
  const key = { collection: 'thing', key: site.word() };
  const [one, two] = await site.two();
  const change = async (served: ServedAccount): Promise<ApplicationCommit> =>
    commitOf(served, await acceptedCommand(site.schema, served), {
      records: [{ ...key, version: null, value: null }],
      changes: [{ ...key, value: 'x' }],
    });
  const [first, second] = [await change(one), await change(two)];
  return {
    parts: [author(first), author(second)],
    watch: withCommands(watchOf(one, two), first, second),
  };
}

const GATE = 'con_serving_gate';
const PERMIT = 'con_dispatch_permit';

export const OUTBOUND: readonly Group[] = [
  {
    name: 'accept | accept',
    meets: 'run_command',
    arrange: async (site) => {
      const served = await site.served();
      const command = runtimeCommand(served, Buffer.from('"input"'));
      const accept = (): Part => ({ name: 'accept', open: (db) => acceptCommand(db, command) });
      return { parts: [accept(), accept()], watch: withCommands(watchOf(served), command) };
    },
  },
  {
    name: 'accept | accept, one execution',
    meets: 'run_command',
    arrange: async (site) => {
      const served = await site.served();
      const one = runtimeCommand(served, Buffer.from('"one"'));
      const two = runtimeCommand(served, Buffer.from('"two"'), undefined, one.executionId);
      const accept = (command: RuntimeCommand): Part => ({ name: 'accept', open: (db) => acceptCommand(db, command) });
      return { parts: [accept(one), accept(two)], watch: withCommands(watchOf(served), one, two) };
    },
  },
  { name: 'author | author, same slot', meets: GATE, arrange: twoRuns },
  {
    name: 'author | author, one feed',
    meets: GATE,
    arrange: async (site) => {
      const served = await site.served();
      const [one, two] = [await acceptedCommand(site.schema, served, 'one'), await acceptedCommand(site.schema, served, 'two')];
      await site.schema.sql('INSERT INTO run_feed_head (account, next_seq) VALUES (?, 1)', [Buffer.from(served.account)]);
      const commits = [one, two].map((command) => commitOf(served, command, { commands: [outboundOf(command, served)] }));
      return { parts: commits.map(author), watch: withCommands(watchOf(served), one, two) };
    },
  },
  { name: 'author | author, one record', meets: 'run_record', arrange: twoRecords },
  {
    name: 'author | halt',
    meets: GATE,
    arrange: async (site) => {
      const served = await site.served();
      const command = await acceptedCommand(site.schema, served);
      const commit = commitOf(served, command, { commands: [outboundOf(command, served)] });
      return { parts: [author(commit), halt(served)], watch: withCommands(watchOf(served), command) };
    },
  },
  {
    name: 'create effects | create effects',
    meets: GATE,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      await world.author();
      const create = (): Part => ({ name: 'create effects', open: (db) => createEffectsOfFeed(db, world.served, 200) });
      return { parts: [create(), create()], watch: world.watch };
    },
  },
  {
    name: 'acquire | halt',
    meets: GATE,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const effect = await world.prepared();
      return { parts: [world.acquire([effect]), halt(world.served)], watch: world.watch };
    },
  },
  {
    name: 'acquire | acquire, same effect',
    meets: GATE,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const effect = await world.prepared();
      return { parts: [world.acquire([effect]), world.acquire([effect])], watch: world.watch };
    },
  },
  {
    name: 'acquire | acquire, one slot',
    meets: 'con_egress_holder',
    arrange: async (site) => {
      const accounts = await site.two();
      const one = await Outbound.open(site, accounts[0]);
      const two = await Outbound.open(site, accounts[1], one.holder);
      const [first, second] = [await one.prepared(), await two.prepared()];
      const watch = { ...one.watch, ...watchOf(...accounts), credentials: [one.credential, two.credential] };
      return { parts: [one.acquire([first], 1), two.acquire([second], 1)], watch };
    },
  },
  {
    name: 'acquire | register',
    meets: 'con_egress_holder',
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const effect = await world.prepared();
      return { parts: [world.acquire([effect]), world.register()], watch: world.watch };
    },
  },
  {
    name: 'register | register',
    meets: 'con_egress_holder',
    arrange: async (site) => {
      const world = await Outbound.open(site);
      return { parts: [world.register(), world.register()], watch: world.watch };
    },
  },
  {
    name: 'start-sending | start-sending',
    meets: 'con_credential_gate',
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const permits = await world.granted();
      return { parts: [world.send(permits), world.send(permits)], watch: world.watch };
    },
  },
  {
    name: 'settle | settle',
    meets: GATE,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const permits = await world.granted();
      const token = await world.sending(permits);
      return { parts: [world.settle(token, permits, CONFIRMED), world.settle(token, permits, UNCERTAIN)], watch: world.watch };
    },
  },
  {
    name: 'abandon | settle',
    meets: GATE,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const permits = await world.granted();
      const token = await world.sending(permits);
      await world.ended();
      return { parts: [world.abandon(permits), world.settle(token, permits, CONFIRMED)], watch: world.watch };
    },
  },
  {
    name: 'abandon | start-sending',
    meets: PERMIT,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const permits = await world.granted();
      await world.ended();
      return { parts: [world.abandon(permits), world.send(permits)], watch: world.watch };
    },
  },
  {
    name: 'settle | conclude-halt',
    meets: GATE,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const permits = await world.granted();
      const token = await world.sending(permits);
      return { parts: [world.settle(token, permits, CONFIRMED), await world.conclude()], watch: world.watch };
    },
  },
  {
    name: 'finalize | finalize, one remote record',
    meets: 'con_account_work',
    arrange: async (site) => {
      const world = await Outbound.open(site);
      await world.author();
      const permits = await world.granted();
      const token = await world.sending(permits);
      await settlePermits(site.schema.db, settlement(world.served, world.holder, token, permits, CONFIRMED));
      return { parts: permits.map(({ effectId }) => world.finalize(effectId)), watch: world.watch };
    },
  },
  {
    name: 'abandon | start-sending | halt',
    meets: PERMIT,
    arrange: async (site) => {
      const world = await Outbound.open(site);
      const permits = await world.granted();
      await world.ended();
      return { parts: [world.abandon(permits), world.send(permits), halt(world.served)], watch: world.watch };
    },
  },
];
