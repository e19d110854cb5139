import { RetryableFault } from '@connector/kernel/faults';
import { type CredentialGenerationId, type PermitId, SendToken } from '@connector/kernel/ids';
import { permitsOfHolder, type HolderPermit } from '@connector/connector/reads/outbound/holder-permits';
import { startSending } from '@connector/connector/transitions/outbound/start-sending.tx';
import type { Db } from '@connector/platform/db/db';
import { retrying } from '@connector/platform/db/retrying';
import type { Signal } from '@connector/platform/host/signal';
import type { Log } from '@connector/platform/telemetry/log';
import type { Wake } from '@connector/platform/wake/wake';
import { callOnce } from './call-once';
import type { Asked, DispatcherClient } from './dispatcher-client';
import { evidenceOf } from './evidence-of';
import { HeldBack } from './held-back';
import type { Holder, HolderName } from './holder-name';
import type { CallPreparer, PreparedCall } from './prepare-call';
import type { Header, ProxyDoor } from './proxy-door';
import { secretBytes, secretText } from './secret-text';
import type { Settler } from './settler';
import { WHILE_WE_LIVE } from './while-we-live';

export interface CallParts {
  readonly db: Db;
  readonly log: Log;
  readonly wake: Wake;
  /** Calls at the same time, 1..100. */
  readonly slots: number;
  readonly name: HolderName;
  readonly door: ProxyDoor;
  readonly dispatcher: DispatcherClient;
  readonly preparer: CallPreparer;
  readonly settler: Settler;
  /** How long a permit that cannot be sent rests before it is looked at again, ms. */
  readonly restMs: number;
  /** Set when a slot became free. */
  readonly free: Signal;
}

/** What a read and a grant carry at most. */
const PERMITS_MAX = 100;

/**
 * From granted permits to settled ones: ask, find, SEND, call, settle. A permit leads to at most one call: only the invocation whose own
 * SEND answered `sending` makes it, right then, and nothing that is found `sending` is ever touched (con:SEND-O, con:SEND-X).
 */
export class Calls {
  readonly #parts: CallParts;
  readonly #inHand = new Map<PermitId, Promise<void>>();
  readonly #heldBack: HeldBack;
  #defect: unknown;

  constructor(parts: CallParts) {
    this.#parts = parts;
    this.#heldBack = new HeldBack(parts.log, parts.restMs);
  }

  async once(signal: AbortSignal): Promise<'worked' | 'idle'> {
    if (this.#defect !== undefined) throw this.#defect;
    const { name, door } = this.#parts;
    const holder = await name.take();
    if (name.lost || (await door.shut()) !== undefined || signal.aborted || this.#room === 0) return 'idle';
    const asked = await this.#ask(holder);
    // Also when nobody answered: an answer that was lost may have granted something.
    const sent = name.lost ? 0 : await this.#sendGranted(holder);
    if (sent === 0 && asked instanceof RetryableFault) throw asked;
    return sent > 0 ? 'worked' : 'idle';
  }

  /** Resolves when every call in hand is over and settled. */
  async drained(): Promise<void> {
    while (this.#inHand.size > 0) await Promise.all(this.#inHand.values());
  }

  get #room(): number {
    return this.#parts.slots - this.#inHand.size;
  }

  /** What is held back takes no call slot, so it must not keep new permits away; new ones are never more than there is room for. */
  async #ask(holder: Holder): Promise<Asked | RetryableFault> {
    const { dispatcher, name, log } = this.#parts;
    try {
      const asked = await dispatcher.ask(holder, Math.min(PERMITS_MAX, this.#room + this.#heldBack.size));
      if (asked.kind === 'holder-fenced-off') {
        name.lose();
        log.error('holder-fenced-off', { reason: holder.holderId, expected_fence: holder.holderFence });
      }
      return asked;
    } catch (thrown) {
      if (thrown instanceof RetryableFault) return thrown;
      throw thrown;
    }
  }

  async #sendGranted(holder: Holder): Promise<number> {
    const granted = await permitsOfHolder(this.#parts.db, holder, 'granted', PERMITS_MAX);
    this.#heldBack.keepOnly(granted);
    const header = granted.length === 0 ? undefined : await this.#parts.door.header();
    if (header === undefined) return 0;
    const prepared = await this.#prepare(granted);
    const started = new Set<PreparedCall>();
    try {
      for (const group of byCredential(prepared)) {
        for (const start of await this.#send(holder, group, header)) started.add(start);
      }
    } finally {
      for (const call of prepared) if (!started.has(call)) call.secret.fill(0);
    }
    return started.size;
  }

  /** Never more than there is room for: whatever is sent begins at once, so a crash leaves no more unknown than that (decisions 13.2). */
  async #prepare(granted: readonly HolderPermit[]): Promise<readonly PreparedCall[]> {
    const prepared: PreparedCall[] = [];
    try {
      for (const permit of granted) {
        if (prepared.length >= this.#room) break;
        if (this.#inHand.has(permit.permit_id) || this.#heldBack.rests(permit.permit_id)) continue;
        const preparation = await this.#parts.preparer.prepare(permit);
        if (preparation.kind === 'prepared') prepared.push(preparation);
        else this.#heldBack.forNow(permit, preparation.reason);
      }
      return prepared;
    } catch (thrown) {
      for (const { secret } of prepared) secret.fill(0);
      throw thrown;
    }
  }

  /**
   * One invocation of SEND with a token of its own. After an unknown COMMIT it runs again under the same token until it is answered; the
   * token is spent in this loop, once a permit, and forgotten with it (decisions 13.1).
   */
  async #send(holder: Holder, group: readonly PreparedCall[], header: Header): Promise<readonly PreparedCall[]> {
    const sendToken = SendToken.mint();
    const credentialGenerationId = (group[0] as PreparedCall).permit.credential_generation_id;
    const permits = group.map(({ permit }) => ({ permitId: permit.permit_id, credentialFence: permit.credential_fence }));
    const batch = { ...holder, credentialGenerationId, sendToken, permits };
    const answers = await retrying(WHILE_WE_LIVE, () => startSending(this.#parts.db, batch));
    const begun: PreparedCall[] = [];
    for (const [index, call] of group.entries()) {
      const kind = answers[index]?.kind ?? 'not-found';
      if (kind === 'sending') begun.push(call);
      else this.#heldBack.forGood(call.permit, kind);
    }
    for (const call of begun) this.#start(holder, call, sendToken, header);
    return begun;
  }

  #start(holder: Holder, call: PreparedCall, sendToken: SendToken, header: Header): void {
    const permitId = call.permit.permit_id;
    const running = this.#callAndSettle(holder, call, sendToken, header)
      .catch((thrown: unknown) => void (this.#defect ??= thrown))
      .finally(() => {
        this.#inHand.delete(permitId);
        this.#parts.free.notify();
      });
    this.#inHand.set(permitId, running);
  }

  async #callAndSettle(holder: Holder, call: PreparedCall, sendToken: SendToken, header: Header): Promise<void> {
    const { settler, wake, log } = this.#parts;
    const { permit_id: permitId, effect_id: effectId, account } = call.permit;
    const evidence = await this.#callOf(call, header);
    const answer = await settler.settle(account, holder, { permitId, effectId, sendToken, evidence, policy: call.policy });
    const fields = { account, row: permitId, kind: answer.kind, status: evidence.status ?? undefined, detail: evidence.detail };
    // Whoever closed it otherwise had no better witness than this process.
    if (answer.kind !== 'settled') return log.error('settlement-refused', fields);
    log.debug('settled', { ...fields, to: answer.effect });
    if (answer.effect === 'remote_confirmed') wake.emit({ stage: 'finalize', account });
  }

  async #callOf(call: PreparedCall, header: Header) {
    const { door } = this.#parts;
    const { method, url, body, deadlineMs, callout, secret } = call;
    try {
      const authorization = [call.authorizationHeader, `Bearer ${secretText(secret)}`];
      const headers = [...call.headers, ...authorization, ...header];
      const seen = await callOnce({
        proxy: door.place,
        ...{ method, url, headers, body, deadlineMs },
        responseBytesMax: callout.responseBytesMax,
      });
      door.saw(seen);
      return evidenceOf(callout, seen, secretBytes(secret));
    } finally {
      secret.fill(0);
    }
  }
}

function byCredential(calls: readonly PreparedCall[]): readonly (readonly PreparedCall[])[] {
  const groups = new Map<CredentialGenerationId, PreparedCall[]>();
  for (const call of calls) {
    const generation = call.permit.credential_generation_id;
    groups.set(generation, [...(groups.get(generation) ?? []), call]);
  }
  return [...groups.values()];
}
