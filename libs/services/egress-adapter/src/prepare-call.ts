import { validateHeaderName, validateHeaderValue } from 'node:http';
import { InputFault, RetryableFault } from '@connector/kernel/faults';
import { requestDigest } from '@connector/connector/model/digests/request';
import type { RetryPolicy } from '@connector/connector/model/outbound/backoff';
import type { HolderPermit } from '@connector/connector/reads/outbound/holder-permits';
import type { Policies } from '@connector/control/model/policies';
import { readCredential } from '@connector/control/reads/credential';
import type { Callout } from '@connector/packs/engine/callout';
import type { Db } from '@connector/platform/db/db';
import { SecretAbsent, type SecretBackend } from '@connector/platform/secrets/secret-backend';
import { readRequest, type BuiltRequest } from '@connector/runtime/model/authored-command';
import { secretText } from './secret-text';
import type { EpochView } from '@connector/services/epoch-view/src/epoch-view';
import type { EpochViews } from '@connector/services/epoch-view/src/epoch-views';

/** Why a granted permit is not sent by this process now. Nothing was written: it stays granted. */
export type Unsendable =
  | 'EPOCH_UNREADABLE'
  | 'PROFILE_ABSENT'
  | 'DESTINATION_NOT_PLAIN'
  | 'KEY_NOT_OF_PROFILE'
  | 'CREDENTIAL_NOT_OF_PROFILE'
  | 'CREDENTIAL_ABSENT'
  | 'REQUEST_UNREADABLE'
  | 'REQUEST_DIGEST_MISMATCH'
  | 'SECRET_VERSION_GONE'
  | 'SECRET_UNUSABLE';

/** Everything that one call depends on, checked and in memory before its SEND. */
export interface PreparedCall {
  readonly kind: 'prepared';
  readonly permit: HolderPermit;
  readonly method: string;
  readonly url: string;
  /** Name and value by turns; without what authorizes. */
  readonly headers: readonly string[];
  readonly authorizationHeader: string;
  readonly body: Buffer;
  readonly callout: Callout;
  readonly deadlineMs: number;
  readonly policy: RetryPolicy;
  /** Owned by the call, which zeroes it. */
  readonly secret: Buffer;
}
export type Preparation = PreparedCall | { readonly kind: 'unsendable'; readonly reason: Unsendable };

type Frozen = { readonly kind: 'frozen'; readonly callout: Callout; readonly policies: Policies };
type Built = { readonly kind: 'built' } & Pick<PreparedCall, 'method' | 'url' | 'headers' | 'body'>;
type Read = { readonly kind: 'secret'; readonly secret: Buffer };
type No = Extract<Preparation, { kind: 'unsendable' }>;

const no = (reason: Unsendable): No => ({ kind: 'unsendable', reason });

/** Puts calls together from what was frozen for their permits, and from nothing else (con:FDB-M, con:INV-06). */
export class CallPreparer {
  readonly #db: Db;
  readonly #views: EpochViews;
  readonly #secrets: SecretBackend;

  constructor(db: Db, views: EpochViews, secrets: SecretBackend) {
    this.#db = db;
    this.#views = views;
    this.#secrets = secrets;
  }

  /** Throws RetryableFault where the database cannot be asked; the secret is read last, so that nothing after it can fail. */
  async prepare(permit: HolderPermit): Promise<Preparation> {
    const frozen = await this.#frozen(permit);
    if (frozen.kind === 'unsendable') return frozen;
    const built = buildRequest(permit, frozen.callout);
    if (built.kind === 'unsendable') return built;
    const read = await this.#secret(permit);
    if (read.kind === 'unsendable') return read;
    const { callout, policies } = frozen;
    return {
      ...built,
      kind: 'prepared',
      permit,
      authorizationHeader: callout.auth.header,
      callout,
      deadlineMs: Math.min(callout.deadlineMs, policies.call_deadline_ms),
      policy: retryPolicy(policies),
      secret: read.secret,
    };
  }

  async #frozen(permit: HolderPermit): Promise<Frozen | No> {
    const view = await this.#view(permit);
    if (view === undefined) return no('EPOCH_UNREADABLE');
    const push = view.push(permit.effect_definition);
    const account = view.account(permit.account);
    const same =
      push?.definitionVersion === permit.definition_version && push.packGenerationStorageId === permit.pack_generation_storage_id;
    if (push === undefined || account === undefined || !same) return no('PROFILE_ABSENT');
    // A credential of another reference would be shown to a host that it is not for.
    if (account.credential(push.callout.credentialRef) !== permit.credential_generation_id) return no('CREDENTIAL_NOT_OF_PROFILE');
    return { kind: 'frozen', callout: push.callout, policies: account.policies };
  }

  async #view({ epoch_id: epochId, epoch_digest: epochDigest }: HolderPermit): Promise<EpochView | undefined> {
    try {
      return await this.#views.of({ epochId, epochDigest });
    } catch (thrown) {
      if (thrown instanceof RetryableFault) throw thrown;
      return undefined;
    }
  }

  async #secret(permit: HolderPermit): Promise<Read | No> {
    const credential = await readCredential(this.#db, permit.credential_generation_id);
    if (credential === undefined || credential.account !== permit.account) return no('CREDENTIAL_ABSENT');
    try {
      const secret = await this.#secrets.read({ path: credential.secretPath, version: credential.secretVersion });
      return usable(secret) ? { kind: 'secret', secret } : no('SECRET_UNUSABLE');
    } catch (thrown) {
      if (!(thrown instanceof InputFault || thrown instanceof RetryableFault)) throw thrown;
      // Another version is never taken in its place (con:CRED-R).
      return no(thrown instanceof SecretAbsent ? 'SECRET_VERSION_GONE' : 'SECRET_UNUSABLE');
    }
  }
}

/** A secret that a header cannot hold would fail only when the request is made. */
function usable(secret: Buffer): boolean {
  const fits = /^[\x21-\x7e]+$/.test(secretText(secret));
  if (!fits) secret.fill(0);
  return fits;
}

function buildRequest(permit: HolderPermit, callout: Callout): Built | No {
  const request = requestOf(permit);
  if (request === undefined) return no('REQUEST_UNREADABLE');
  // What is sent is what was authored, byte for byte, or nothing (con:DIG-17).
  const digest = requestDigest({ ...request, providerIdempotencyKey: permit.provider_key }).digest;
  if (digest !== permit.request_digest) return no('REQUEST_DIGEST_MISMATCH');
  if ((permit.provider_key === null) !== (callout.idempotency === null)) return no('KEY_NOT_OF_PROFILE');
  // The host is the frozen profile's alone; a target that is no path could move it.
  const plain = callout.base.startsWith('http://') && /^\/[\x21-\x7e]*$/.test(request.target);
  if (!plain) return no('DESTINATION_NOT_PLAIN');
  const { method, target, body } = request;
  const headers = headersOf(request, callout, permit.provider_key);
  return sendable(headers) ? { kind: 'built', method, url: `${callout.base}${target}`, headers, body } : no('REQUEST_UNREADABLE');
}

function requestOf(permit: HolderPermit): Omit<BuiltRequest, 'providerKey'> | undefined {
  try {
    return readRequest(permit.request);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

function headersOf(request: Omit<BuiltRequest, 'providerKey'>, callout: Callout, providerKey: string | null): readonly string[] {
  const { idempotency, base } = callout;
  const key = idempotency === null || providerKey === null ? [] : [idempotency.header, providerKey];
  const length = request.method === 'GET' && request.body.length === 0 ? [] : ['content-length', String(request.body.length)];
  return ['host', new URL(base).host, ...request.headers.flat(), ...key, ...length, 'connection', 'close'];
}

/** Node refuses these only when the request is made; by then the permit would be spent. */
function sendable(headers: readonly string[]): boolean {
  try {
    for (let at = 0; at < headers.length; at += 2) {
      validateHeaderName(headers[at] ?? '');
      validateHeaderValue(headers[at] ?? '', headers[at + 1] ?? '');
    }
    return true;
  } catch {
    return false;
  }
}

function retryPolicy({ attempts_max: attemptsMax, backoff }: Policies): RetryPolicy {
  return {
    attemptsMax,
    backoff: { firstMs: backoff.first_ms, factor: backoff.factor, capMs: backoff.cap_ms },
  };
}
