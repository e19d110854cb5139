import type { Service } from '@connector/kernel/roles';
import { OperationId } from '@connector/kernel/ids';
import { digestsOf } from '@connector/catalog/contract/artifact-registry';
import { ask, type Asked } from '@connector/services/local/src/demo/ask';
import { LONG_AGO, signedTransfer, signer, type Signer } from '../../fixtures/registry';
import { builtRelease, type BuiltRelease, type ReleaseSpec } from '../../fixtures/release';
import type { SystemUnderTest } from '../system';
import { until } from '../until';

const ANSWER_MS_MAX = 45_000;
const CATALOG: Service = 'catalog';

const base64 = (bytes: Buffer): string => bytes.toString('base64');
const hexOf = (digest: string): string => digest.slice('sha256:'.length);

export interface Publisher {
  readonly id: string;
  readonly key: Signer;
}

/** What makes the doors of the registries run: each request under a key of its own, asked again under it until it is answered. */
export class RegistryActs {
  readonly #system: SystemUnderTest;
  #publishers = 0;

  constructor(system: SystemUnderTest) {
    this.#system = system;
  }

  /** A publisher with a key, both said twice, and the end of the key. */
  async publisherAndKey(): Promise<void> {
    const { id, key } = await this.publisher();
    const place = `/v1/publishers/${id}`;
    await this.asked('PUT', place, {}, 'already-registered');
    await this.asked('POST', `${place}/keys`, keyBody(key), 'already-added');
    const revoke = `${place}/keys/${key.keyId}/revoke`;
    await this.asked('POST', revoke, { reason: 'crash matrix' }, 'revoked');
    await this.asked('POST', revoke, { reason: 'crash matrix' }, 'already-revoked');
  }

  /** An App with a slot, one that depends on it, and its next version, whose slot moves on and which depends on that one in turn. */
  async releases(): Promise<void> {
    const by = await this.publisher();
    const [app, other] = [`${by.id}.desk`, `${by.id}.lamp`];
    const spec: ReleaseSpec = { appId: app, layouts: { a: 1, b: 2 }, capabilities: [`${app}.view.v1`] };
    await this.release(by, { ...spec, slots: [{ key: 'main', version: 1, target: 'a' }] });
    await this.release(by, { appId: other, dependencies: [{ app, until: '1.1.0' }] });
    const successor = [{ key: 'main', version: 2, target: 'b', previous: 'a' }];
    await this.release(by, { ...spec, version: '1.5.0', slots: successor, dependencies: [{ app: other }] });
  }

  /** Bytes that nobody has uploaded, and the same again. */
  async blobs(): Promise<void> {
    const [release] = [builtRelease({ layouts: { a: OperationId.mint() } })];
    await this.#uploaded(release);
    await this.#uploaded(release);
  }

  /** An App that is given away and taken back, and whose release is blocked, twice. */
  async ownership(): Promise<void> {
    const [from, to] = [await this.publisher(), await this.publisher()];
    const appId = `${from.id}.desk`;
    const { releaseDigest } = await this.release(from, { appId });
    const { statement, signature } = signedTransfer(from.key, { appId, from: from.id, to: to.id });
    const offer = { statement_base64: base64(statement), signature_base64: base64(signature) };
    const { body } = await this.asked('POST', `/v1/apps/${appId}/transfers`, offer, 'offered');
    await this.asked('POST', `/v1/apps/${appId}/transfers`, offer, 'already-offered');
    const transfer = String(Reflect.get(body, 'transfer_id'));
    await this.asked('POST', `/v1/apps/${appId}/transfers/${transfer}/accept`, {}, 'transferred');
    const back = { from_publisher_id: to.id, to_publisher_id: from.id, expected_ownership_epoch: '2', reason: 'crash matrix' };
    await this.asked('POST', `/v1/apps/${appId}/recoveries`, back, 'recovered');
    await this.blocked(appId, releaseDigest, 'blocked');
    await this.blocked(appId, releaseDigest, 'already-blocked');
  }

  async blocked(appId: string, releaseDigest: string, kind: string): Promise<void> {
    await this.asked('POST', `/v1/app-releases/${appId}/sha256/${hexOf(releaseDigest)}/block`, { reason: 'crash matrix' }, kind);
  }

  /** One that is trusted and has a key, under a name that nobody had. */
  async publisher(): Promise<Publisher> {
    this.#publishers += 1;
    const [id, key] = [`dev.crash-${this.#publishers}`, signer()];
    await this.asked('PUT', `/v1/publishers/${id}`, {}, 'registered');
    await this.asked('POST', `/v1/publishers/${id}/keys`, keyBody(key), 'added');
    return { id, key };
  }

  /** A registered release of this publisher. */
  release({ id, key }: Publisher, spec: ReleaseSpec): Promise<BuiltRelease> {
    return this.registered(key, builtRelease({ ...spec, publisherId: id }));
  }

  async registered(key: Signer, release: BuiltRelease): Promise<BuiltRelease> {
    await this.#uploaded(release);
    const { statement, signature } = key.attest(release);
    const attestation = { statement_base64: base64(statement), signature_base64: base64(signature) };
    const bytes = { manifest_base64: base64(release.manifestBytes), bundle_base64: base64(release.bundleBytes) };
    await this.asked('POST', '/v1/app-releases', { ...bytes, attestation }, 'registered');
    return release;
  }

  async #uploaded({ blobs }: BuiltRelease): Promise<void> {
    for (const blob of blobs) {
      const { componentDigest, rawSha256 } = digestsOf(blob);
      const said = { component_kind: blob.componentKind, component_format_version: blob.formatVersion, raw_sha256: rawSha256 };
      const path = `/v1/blobs/sha256/${hexOf(componentDigest)}`;
      // It has no key but its bytes: after a death behind the commit they are there already.
      await this.asked('PUT', path, { ...said, bytes_base64: base64(blob.bytes) }, 'stored', 'already-stored');
    }
  }

  /** Whatever died meanwhile, the same request is asked for again, and one of these is its answer. */
  asked(method: 'POST' | 'PUT', path: string, body: object, ...kinds: readonly string[]): Promise<Asked> {
    return this.askedUnder(`crash-${OperationId.mint()}`, method, path, body, ...kinds);
  }

  /** The same under a key that others can name. */
  async askedUnder(key: string, method: 'POST' | 'PUT', path: string, body: object, ...kinds: readonly string[]): Promise<Asked> {
    const answer = await this.under(key, method, path, body);
    if (kinds.includes(answer.kind)) return answer;
    throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }

  /** The same request again under the same key until it is answered, whatever its answer. */
  async under(key: string, method: 'POST' | 'PUT', path: string, body: object): Promise<Asked> {
    const catalog = await this.#system.client(CATALOG);
    return until(`${method} ${path}`, ANSWER_MS_MAX, () => ask(catalog, method, path, body, key));
  }
}

const keyBody = ({ publicKey }: Signer) => ({ public_key_base64: base64(publicKey), valid_from: LONG_AGO });
