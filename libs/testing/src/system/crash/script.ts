import { AttemptId, CertificateId, ConfigurationId, CredentialGenerationId, EpochId, OperationId } from '@connector/kernel/ids';
import type { Json } from '@connector/kernel/jcs';
import type { Service } from '@connector/kernel/roles';
import { ask } from '@connector/services/local/src/demo/ask';
import { published, wanted, type World } from '@connector/services/local/src/demo/begin';
import { CREDENTIAL, SCOPE } from '@connector/services/local/src/demo/world';
import { ADAPTER } from '@connector/services/local/src/plan';
import { contact, hint, hints, swapped, unusableContact, wideBody, wideHints } from '../source';
import type { SystemUnderTest } from '../system';
import { until, when } from '../until';
import { AppActs } from './app-acts';
import { FROZEN_MS_MAX, frozen } from './frozen';
import { CrashRows, DESK, HOOK } from './rows';
import { replacedInputs } from './security-epochs';

const ANSWER_MS_MAX = 45_000;
const BY = 'crash matrix';
/** Shorter than the deadline of the call, longer than anybody needs to see that it is under way. */
const SLOW_MS = 6_000;

/** What makes the doors run: each act under ids of its own, asked for again under the same ones until it is answered. */
export class Script {
  readonly apps: AppActs;
  readonly #system: SystemUnderTest;
  readonly #world: World;
  readonly #rows: CrashRows;
  #acts = 0;
  #adapterFree: Promise<void> = Promise.resolve();
  #ownersFree: Promise<void> = Promise.resolve();
  #gateFree: Promise<void> = Promise.resolve();

  constructor(system: SystemUnderTest, world: World) {
    this.#system = system;
    this.#world = world;
    this.#rows = new CrashRows(system);
    this.apps = new AppActs(system);
  }

  /** One delivery that opens one ticket. */
  async delivery(): Promise<void> {
    const n = this.#next();
    await this.#system.source.deliver('hook', contact(`crash-${n}`), `msg_${n}`, ANSWER_MS_MAX);
  }

  /** Several at once: who grants then finds commands that nobody has made effects of. */
  async burst(): Promise<void> {
    await Promise.all(Array.from({ length: 5 }, () => this.delivery()));
  }

  /** One with an item that is refused by name between two that are not. */
  async refusedDelivery(): Promise<void> {
    const n = this.#next();
    await this.#system.source.deliver('hook', wideBody(`crash-refused-${n}`, 3), `msg_${n}`, ANSWER_MS_MAX);
  }

  /** One, and other bytes under its key. */
  async conflictingDelivery(): Promise<void> {
    const n = this.#next();
    await this.#system.source.deliver('hook', contact(`crash-${n}`), `msg_${n}`, ANSWER_MS_MAX);
    await this.#system.source.refused('hook', contact(`crash-${n}`, 2), `msg_${n}`, ANSWER_MS_MAX);
  }

  /** Two of the same record, the second one when the first is applied. */
  async changedContact(): Promise<void> {
    const n = this.#next();
    await this.#system.source.deliver('hook', contact(`crash-${n}`), `msg_${n}`, ANSWER_MS_MAX);
    await until('the first change', FROZEN_MS_MAX, async () => when((await this.#rows.records(`crash-${n}`)) > 0)).catch(() => undefined);
    await this.#system.source.deliver('hook', contact(`crash-${n}`, 2), `msg_${n}_again`, ANSWER_MS_MAX);
  }

  /** One whose route asks for no order. */
  async looseDelivery(): Promise<void> {
    const n = this.#next();
    await this.#system.source.deliver('events', { action: 'created', n }, `event_${n}`, ANSWER_MS_MAX);
  }

  /** Two hints of one ticket: when its window is over the greater one is taken, and the other is decided without a call. */
  async overtakenHint(): Promise<void> {
    const n = this.#next();
    await this.#system.source.deliver('hints', hints(n, [1, 2]), `hints_${n}`, ANSWER_MS_MAX);
  }

  /** A hint that comes when a greater one of its ticket is done. */
  async lateHint(): Promise<void> {
    const n = await this.#doneHint();
    await this.#system.source.deliver('hints', hints(n, [1]), `late_${n}`, ANSWER_MS_MAX);
  }

  /** One that comes while a greater one of its ticket is at work: when that is done, nothing that may run is left in their lane. */
  async hintBehindAnother(): Promise<void> {
    const n = this.#next();
    await frozen(this.#system.local, 'runtime', async () => {
      await this.#system.source.deliver('hints', hints(n, [5]), `hints_${n}`, ANSWER_MS_MAX);
      await until('it is at work', FROZEN_MS_MAX, async () => when(await this.#rows.atWork(n))).catch(() => undefined);
      await this.#system.source.deliver('hints', hints(n, [1]), `behind_${n}`, ANSWER_MS_MAX);
    });
  }

  /** The same among more items than are made in the admission, beside two hints of a new ticket. */
  async wideHints(): Promise<void> {
    const n = await this.#doneHint();
    await this.#system.source.deliver('hints', wideHints([n, this.#next()], 230), `wide_${n}`, ANSWER_MS_MAX);
  }

  async #doneHint(): Promise<number> {
    const n = this.#next();
    const before = await this.#rows.completed();
    await this.#system.source.deliver('hints', hints(n, [5]), `hints_${n}`, ANSWER_MS_MAX);
    await until('the hint is done', FROZEN_MS_MAX, async () => when((await this.#rows.completed()) > before)).catch(() => undefined);
    return n;
  }

  /** One whose run is turned back by a halted account until its lease is over, and is claimed again, so often. */
  reclaimedDelivery(claims = 1): Promise<void> {
    return this.#withGate(async () => {
      await this.#halted();
      const before = await this.#rows.claimedAgain();
      await this.delivery();
      const enough = async () => when((await this.#rows.claimedAgain()) >= before + claims);
      await until('its further claims', FROZEN_MS_MAX, enough).catch(() => undefined);
      await this.#move('resume', ['serving']);
    });
  }

  /** Two changes of one record in one delivery, the later one first. */
  async swappedChanges(): Promise<void> {
    const n = this.#next();
    await this.#system.source.deliver('hook', swapped(`crash-${n}`), `msg_${n}`, ANSWER_MS_MAX);
  }

  /** One that the application fails: its lane is held. */
  async failedDelivery(): Promise<void> {
    const n = this.#next();
    await this.#system.source.deliver('hook', unusableContact(`crash-${n}`), `msg_${n}`, ANSWER_MS_MAX);
  }

  /** A change whose predecessor has not come; then it comes, or its deadline does. */
  async gap(then: 'filled' | 'deadline', channel = 'hook'): Promise<void> {
    const n = this.#next();
    await this.#system.source.deliver(channel, contact(`crash-${n}`, 2), `msg_${n}`, ANSWER_MS_MAX);
    await until('the gap is seen', FROZEN_MS_MAX, async () => when((await this.#rows.gaps()) > 0)).catch(() => undefined);
    if (then === 'filled') await this.#system.source.deliver('hook', contact(`crash-${n}`), `msg_${n}_first`, ANSWER_MS_MAX);
    else await this.#rows.passDeadlines();
  }

  /** One whose provider call ends in a failure that says nothing. */
  async deliveryWithoutAnswer(): Promise<void> {
    await this.#system.provider.plan('500-after');
    await this.delivery();
  }

  /** One whose provider refuses the call for good. */
  async refusedCall(): Promise<void> {
    await this.#system.provider.plan('422');
    await this.delivery();
  }

  /** One that is waited for until its remote record has its link. */
  async linkedDelivery(): Promise<void> {
    const before = await this.#rows.count('con_remote_link');
    await this.delivery();
    await until('a link', FROZEN_MS_MAX, async () => when((await this.#rows.count('con_remote_link')) > before)).catch(() => undefined);
  }

  /** Two; the provider answers the second with the record of somebody else. */
  async contradictedDelivery(): Promise<void> {
    await this.linkedDelivery();
    await this.#system.provider.plan('other-id');
    await this.delivery();
  }

  /** One that the provider refuses for now: nothing came of it, and it is tried again. */
  async throttledDelivery(): Promise<void> {
    await this.#system.provider.plan('429');
    await this.delivery();
  }

  /** One while no adapter asks for permits: its effect is made by whoever looks at the feed. */
  deliveryWithoutAdapter(): Promise<void> {
    return this.#withAdapter(() =>
      frozen(this.#system.local, ADAPTER, async () => {
        const before = await this.#rows.count('con_remote_effect');
        await this.delivery();
        const made = async () => when((await this.#rows.count('con_remote_effect')) > before);
        await until('its effect', FROZEN_MS_MAX, made).catch(() => undefined);
      }),
    );
  }

  /** One with more items than are made in its admission. */
  async wideDelivery(): Promise<void> {
    const n = this.#next();
    await this.#system.source.deliver('hook', wideBody(`crash-wide-${n}`, 230), `msg_${n}`, ANSWER_MS_MAX);
    await this.#system.source.deliver('hints', hint(n, 1), `hint_${n}`, ANSWER_MS_MAX);
  }

  /** An adapter ends while it waits for an answer; or, armed, before it has sent anything. */
  deadAdapter(crash?: string): Promise<void> {
    return this.#withAdapter(() => (crash === undefined ? this.#killSending() : this.#killGranted(crash)));
  }

  /** The act, with the answer of this door's next COMMIT lost: who opened it runs it again and finds its own. */
  async withLostAnswer(door: string, act: () => Promise<void>): Promise<void> {
    void this.#system.commits?.plan(door, { kind: 'withheld' });
    await act();
  }

  /** One at a time: two that look for the same open permit would end two adapters for one. */
  #withAdapter(act: () => Promise<void>): Promise<void> {
    const turn = this.#adapterFree.then(act);
    this.#adapterFree = turn.catch(() => undefined);
    return turn;
  }

  /** An account halts, is held when nothing of it is open, and serves again. */
  haltAndResume(): Promise<void> {
    return this.#withGate(async () => {
      await this.#halted();
      await this.#move('resume', ['serving']);
    });
  }

  async #halted(): Promise<void> {
    if ((await this.#rows.mode()) === 'v2_halted') await this.#move('resume', ['serving']);
    await this.#move('halt', ['halting']);
    await until(`${DESK} is held`, ANSWER_MS_MAX, async () => when((await this.#rows.mode()) === 'v2_halted'));
  }

  /** One at a time: who finds the account halted by another is refused. */
  #withGate(act: () => Promise<void>): Promise<void> {
    const turn = this.#gateFree.then(act);
    this.#gateFree = turn.catch(() => undefined);
    return turn;
  }

  /** A further candidate epoch, which nobody activates. */
  candidate(): Promise<void> {
    return this.#withOwners(async () => void (await this.#candidate()));
  }

  /** A candidate that an owner no longer answers for when somebody wants to begin with it. */
  disowned(): Promise<void> {
    return this.#withOwners(async () => {
      const epoch = await this.#candidate();
      await this.#publication();
      const attempt = { operation_id: OperationId.mint(), certificate_id: CertificateId.mint(), attempt_id: AttemptId.mint() };
      const body = { epoch_id: epoch, ...attempt, requested_by: BY, reason: BY, predecessor: 'none' };
      // Asked again after a death behind the commit, it is no longer a candidate.
      await this.#ask('cutover-coordinator', '/v1/genesis', body, ['epoch-drifted', 'epoch-not-verified']);
    });
  }

  /** The next version of every pack, and a membership of it. */
  publication(): Promise<void> {
    return this.#withOwners(() => this.#publication());
  }

  /** A workload that nobody wanted anything for before. */
  async firstMembership(): Promise<void> {
    const catalog = await this.#system.client('catalog');
    const [installation, workload] = [await this.#rows.installation(), `wl.unused-${this.#next()}`];
    await until('the membership', ANSWER_MS_MAX, () => wanted(catalog, { installation, workload }, []).then(() => true));
  }

  /** A pack that an organization has for the first time. */
  async firstPack(): Promise<void> {
    const body = { organization: `unused-${this.#next()}`, pack: this.#world.packOf('tern-desk') };
    await this.#ask('catalog', '/v1/pack-generations', body, ['registered', 'already-registered']);
  }

  /** What stands of an organization beside its App grants. */
  otherInputs(): Promise<void> {
    return replacedInputs(this.#system, `crash-${this.#next()}`);
  }

  /** One at a time: a candidate is rejected, and rightly, when an owner has moved on between its two steps. */
  #withOwners(act: () => Promise<void>): Promise<void> {
    const turn = this.#ownersFree.then(act);
    this.#ownersFree = turn.catch(() => undefined);
    return turn;
  }

  async #candidate(): Promise<EpochId> {
    const epoch = EpochId.mint();
    const configuration = { configuration_id: (await this.#rows.configured()) ?? '' };
    const installation = await this.#rows.installation();
    const prepare = { epoch_id: epoch, ...SCOPE, installation, min_catalog_revision: '1', ...configuration };
    await this.#ask('cutover-coordinator', '/v1/epochs', prepare, ['prepared', 'already-prepared']);
    const verify = { operation_id: OperationId.mint(), requested_by: BY };
    await this.#ask('cutover-coordinator', `/v1/epochs/${epoch}/verify`, verify, ['verified']);
    return epoch;
  }

  /** A configuration, and two credentials of one secret, that no epoch names. */
  async authoring(): Promise<void> {
    const n = this.#next();
    const credential = {
      credential_generation_id: CredentialGenerationId.mint(),
      ...{ credential_identity: CREDENTIAL.ref, provider: CREDENTIAL.provider, account: DESK },
      ...{ secret_path: CREDENTIAL.secret.path, secret_version: `unused-${n}`, transport: { scheme: 'bearer' } },
    };
    await this.#ask('control', '/v1/credentials', credential, ['authored', 'already-authored']);
    const other = {
      ...credential,
      credential_generation_id: CredentialGenerationId.mint(),
      credential_identity: `${CREDENTIAL.ref}-other`,
    };
    await this.#ask('control', '/v1/credentials', other, ['authored', 'already-authored']);
    const configuration = { ...this.#world.configuration, environment_id: `unused-${n}` };
    const body = { configuration_id: ConfigurationId.mint(), configuration, authored_by: BY };
    await this.#ask('control', '/v1/configurations', body, ['authored', 'already-authored']);
  }

  /** A credential that no epoch names is revoked, and dispatches again. */
  async revocation(): Promise<void> {
    const generation = CredentialGenerationId.mint();
    const secret = { secret_path: CREDENTIAL.secret.path, secret_version: `revoked-${this.#next()}` };
    const credential = {
      credential_identity: CREDENTIAL.ref,
      provider: CREDENTIAL.provider,
      account: DESK,
      transport: { scheme: 'bearer' },
    };
    const named = { credential_generation_id: generation };
    await this.#ask('control', '/v1/credentials', { ...named, ...credential, ...secret }, ['authored', 'already-authored']);
    const decision = () => ({ ...named, operation_id: OperationId.mint(), by: BY, reason: BY });
    await this.#ask('control', '/v1/credentials/revoke', { ...decision(), expected_fence: '1', final: false }, ['revoked']);
    await this.#ask('control', '/v1/credentials/reenable', { ...decision(), expected_fence: '2' }, ['reenabled']);
  }

  /** A channel's first key, a second one, the same secret at another channel, and the end of the first. */
  async keys(): Promise<void> {
    const n = this.#next();
    const channel = { account: HOOK, channel: `unused-${n}` };
    for (const version of [1, 2]) {
      const secret = { secret_path: `channels/unused/${n}`, secret_version: String(version) };
      const key = { ...channel, key_version: version, scheme: 'standard-webhooks', ...secret };
      await this.#ask('control', '/v1/channel-keys', key, ['added', 'already-added']);
    }
    const shared = { secret_path: `channels/unused/${n}`, secret_version: '1', key_version: 1, scheme: 'standard-webhooks' };
    await this.#ask('control', '/v1/channel-keys', { ...channel, channel: `shared-${n}`, ...shared }, ['added', 'already-added']);
    const end = { ...channel, key_version: 1, reason: BY };
    await this.#ask('control', '/v1/channel-keys/retire', end, ['retired', 'already-retired']);
  }

  async #publication(): Promise<void> {
    const n = this.#next();
    const packOf = (name: Parameters<World['packOf']>[0]): Json => ({ ...(this.#world.packOf(name) as object), pack_version: `1.0.${n}` });
    const [catalog, { store }] = [await this.#system.client('catalog'), this.#system.local];
    await until('the publication', ANSWER_MS_MAX, () => published(catalog, store, { ...this.#world, packOf }).then(() => true));
  }

  async #killSending(): Promise<void> {
    await this.#system.ready([ADAPTER]);
    await this.#system.provider.plan('slow', 1, SLOW_MS);
    await this.delivery();
    await until('a permit is sending', ANSWER_MS_MAX, async () => when((await this.#rows.open('sending')) > 0));
    await this.#system.kill(ADAPTER);
  }

  async #killGranted(crash: string): Promise<void> {
    this.#system.local.supervisor.restart(ADAPTER, 'SIGKILL', { CRASH: crash });
    const before = this.#system.ends.length;
    await this.delivery();
    const ended = (): boolean => this.#system.ends.slice(before + 1).some(({ name }) => name === ADAPTER);
    await until(`${ADAPTER} dies at ${crash}`, ANSWER_MS_MAX, () => when(ended()));
  }

  #next(): number {
    this.#acts += 1;
    return this.#acts;
  }

  async #move(verb: 'halt' | 'resume', kinds: readonly string[]): Promise<void> {
    const [gate] = await this.#system.sql('SELECT fence FROM con_serving_gate WHERE account = ?', [DESK]);
    const move = { account: DESK, expected_fence: String(gate?.['fence']), operation_id: OperationId.mint(), by: BY, reason: BY };
    await this.#ask('cutover-coordinator', `/v1/accounts/${verb}`, move, kinds);
  }

  /** A refusal, after a crash, of what was asked for before it is what the matrix looks for. */
  async #ask(service: Service, path: string, body: object, kinds: readonly string[]): Promise<void> {
    const client = await this.#system.client(service);
    const answer = await until(`POST ${path}`, ANSWER_MS_MAX, () => ask(client, 'POST', path, body));
    if (!kinds.includes(answer.kind)) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }
}
