import { putBlob } from '@connector/artifacts/transitions/put-blob.tx';
import { digestsOf } from '@connector/catalog/contract/artifact-registry';
import { AppId, PublisherId } from '@connector/catalog/model/identifier';
import type { RequestKey } from '@connector/catalog/model/request';
import { acceptTransfer } from '@connector/catalog/transitions/registry/accept-transfer.tx';
import { addPublisherKey } from '@connector/catalog/transitions/registry/add-publisher-key.tx';
import { blockRelease } from '@connector/catalog/transitions/registry/block-release.tx';
import { offerTransfer } from '@connector/catalog/transitions/registry/offer-transfer.tx';
import { recoverApp } from '@connector/catalog/transitions/registry/recover-app.tx';
import { registerPublisher } from '@connector/catalog/transitions/registry/register-publisher.tx';
import { revokePublisherKey } from '@connector/catalog/transitions/registry/revoke-publisher-key.tx';
import type { Instant } from '@connector/kernel/brand';
import type { Part } from '@connector/testing/explorer/schedule';
import { asking, LONG_AGO, register, signedTransfer, type Signer, signer, trustedPublisher } from '@connector/testing/fixtures/registry';
import { builtRelease, type ReleaseSpec } from '@connector/testing/fixtures/release';
import type { Group, Site, World } from './group';

type Trusted = Signer & { readonly publisherId: PublisherId };

/** Two publishers that may both reserve one App, and nobody else's rows. */
class Registry {
  private constructor(
    readonly site: Site,
    readonly appId: AppId,
    readonly one: Trusted,
    readonly two: Trusted,
    /** One who owns nothing and signs nothing. */
    readonly third: PublisherId,
  ) {}

  static async open(site: Site, versions: readonly ReleaseSpec[] = []): Promise<Registry> {
    const word = site.word();
    const prefix = `dev.${word}`;
    const { db } = site.schema;
    const one = await trustedPublisher(db, prefix);
    const two = await trustedPublisher(db, `org.${word}`, [prefix]);
    const { publisherId: third } = await trustedPublisher(db, `net.${word}`);
    const registry = new Registry(site, AppId.parse(`${prefix}.desk`), one, two, third);
    for (const spec of versions) await registry.register(spec).open(db);
    return registry;
  }

  register(spec: ReleaseSpec, by = this.one, request: RequestKey = asking()): Part {
    const release = builtRelease({ appId: this.appId, publisherId: by.publisherId, ...spec });
    return { name: `register ${release.semanticVersion}`, open: (db) => register(db, by, release, request) };
  }

  /** What the owner signs; the epoch is the first one. */
  #statement(to: string) {
    return signedTransfer(this.one, { appId: this.appId, from: this.one.publisherId, to });
  }

  offer(to: string = this.two.publisherId): Part {
    const input = this.#statement(to);
    const request = asking();
    return { name: 'offer', open: (db) => offerTransfer(db, input, request) };
  }

  /** The offer stands by its own door before. */
  async accept(to: string = this.two.publisherId): Promise<Part> {
    const offered = await offerTransfer(this.site.schema.db, this.#statement(to), asking());
    if (!('transferId' in offered)) throw new RangeError(`no offer: ${offered.code}`);
    const input = { appId: this.appId, transferId: offered.transferId };
    const request = asking();
    return { name: 'accept', open: (db) => acceptTransfer(db, input, request) };
  }

  recover(): Part {
    const parties = { fromPublisherId: this.one.publisherId, toPublisherId: this.two.publisherId };
    const input = { appId: this.appId, ...parties, expectedOwnershipEpoch: 1n, reason: 'keys lost' };
    const request = asking();
    return { name: 'recover', open: (db) => recoverApp(db, input, request) };
  }

  revoke(): Part {
    const input = { publisherId: this.one.publisherId, keyId: this.one.keyId, reason: 'stolen' };
    const request = asking();
    return { name: 'revoke', open: (db) => revokePublisherKey(db, input, request) };
  }

  block(reason: string): Part {
    const input = {
      appId: this.appId,
      releaseDigest: builtRelease({ appId: this.appId, publisherId: this.one.publisherId }).releaseDigest,
      reason,
    };
    const request = asking();
    return { name: 'block', open: (db) => blockRelease(db, input, request) };
  }

  world(...parts: readonly Part[]): World {
    return { parts, watch: { accounts: [], apps: [this.appId], publishers: [this.one.publisherId, this.two.publisherId, this.third] } };
  }
}

const layouts = { a: 1, b: 2, c: 3 };
const slot = (version: number, target: string, previous?: string): ReleaseSpec => ({
  layouts,
  slots: [{ key: 'main', version, target, ...(previous === undefined ? {} : { previous }) }],
});
const PUBLISHER = 'cat_publisher';
const OWNERSHIP = 'cat_app_ownership';

export const REGISTRY: readonly Group[] = [
  {
    name: 'put blob | put blob',
    meets: 'art_blob',
    arrange: (site) => {
      const blob = { componentKind: 'io.nexuscrm.record-layout.v1', formatVersion: 1, bytes: Buffer.from(`{"w":"${site.word()}"}`) };
      const part: Part = { name: 'put', open: (db) => putBlob(db, digestsOf(blob), blob) };
      return Promise.resolve({ parts: [part, part], watch: { accounts: [] } });
    },
  },
  {
    name: 'register publisher | register publisher, other prefixes',
    meets: PUBLISHER,
    arrange: (site) => {
      const publisherId = PublisherId.parse(`dev.${site.word()}`);
      const part = (prefix: string): Part => {
        const request = asking();
        const input = { publisherId, appPrefixes: [PublisherId.parse(prefix)] };
        return { name: `register ${prefix}`, open: (db) => registerPublisher(db, input, request) };
      };
      const parts = [part('org.one'), part('org.two')];
      return Promise.resolve({ parts, watch: { accounts: [], publishers: [publisherId] } });
    },
  },
  {
    name: 'add key | add key, other window',
    meets: PUBLISHER,
    arrange: async (site) => {
      const registry = await Registry.open(site);
      const { one } = registry;
      const { publicKey } = signer();
      const part = (validUntil: Instant | null): Part => {
        const request = asking();
        const input = { publisherId: one.publisherId, publicKey, validFrom: LONG_AGO, validUntil };
        return { name: `until ${validUntil}`, open: (db) => addPublisherKey(db, input, request) };
      };
      return registry.world(part(null), part('2900-01-01T00:00:00.000000Z' as Instant));
    },
  },
  {
    name: 'register | register, two publishers',
    meets: OWNERSHIP,
    arrange: async (site) => {
      const registry = await Registry.open(site);
      return registry.world(registry.register({ version: '9.0.0' }), registry.register({}, registry.two));
    },
  },
  {
    name: 'register | register other bytes',
    meets: PUBLISHER,
    arrange: async (site) => {
      const registry = await Registry.open(site, [{ version: '0.9.0' }]);
      return registry.world(registry.register({ layouts: { a: 1 } }), registry.register({ layouts: { a: 2 } }));
    },
  },
  {
    name: 'register | register, one request',
    meets: PUBLISHER,
    arrange: async (site) => {
      const registry = await Registry.open(site);
      const part = registry.register({ layouts: { a: 1 } });
      return registry.world(part, part);
    },
  },
  {
    name: 'slot CAS | slot CAS',
    meets: PUBLISHER,
    arrange: async (site) => {
      const registry = await Registry.open(site, [slot(1, 'a')]);
      const successor = (version: string, target: string) => registry.register({ version, ...slot(2, target, 'a') });
      return registry.world(successor('2.0.0', 'b'), successor('2.1.0', 'c'));
    },
  },
  {
    name: 'transfer | register',
    meets: PUBLISHER,
    arrange: async (site) => {
      const registry = await Registry.open(site, [{ version: '0.9.0' }]);
      return registry.world(await registry.accept(), registry.register({}));
    },
  },
  {
    name: 'transfer | recover',
    meets: PUBLISHER,
    arrange: async (site) => {
      const registry = await Registry.open(site, [{}]);
      return registry.world(await registry.accept(), registry.recover());
    },
  },
  {
    name: 'offer | transfer',
    meets: PUBLISHER,
    arrange: async (site) => {
      const registry = await Registry.open(site, [{}]);
      const accept = await registry.accept();
      return registry.world(registry.offer(registry.third), accept);
    },
  },
  {
    name: 'revoke key | register',
    meets: PUBLISHER,
    arrange: async (site) => {
      const registry = await Registry.open(site, [{ version: '0.9.0' }]);
      return registry.world(registry.revoke(), registry.register({}));
    },
  },
  {
    name: 'block | block',
    meets: OWNERSHIP,
    arrange: async (site) => {
      const registry = await Registry.open(site, [{}]);
      return registry.world(registry.block('leaks'), registry.block('lies'));
    },
  },
];
