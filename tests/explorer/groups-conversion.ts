import { openPublication } from '@connector/catalog/transitions/installation/open-publication.tx';
import { decideDeletion } from '@connector/catalog/transitions/conversion/delete-legacy-pack.tx';
import { failConversion } from '@connector/catalog/transitions/conversion/fail-conversion.tx';
import { retireLegacyReader } from '@connector/catalog/transitions/conversion/retire-legacy-reader.tx';
import { CRM_APP_ID } from '@connector/catalog/model/conversion/mapping';
import { readConversion } from '@connector/catalog/reads/conversion';
import { setMembership } from '@connector/catalog/transitions/set-membership.tx';
import { OperationId } from '@connector/kernel/ids';
import { prove } from '@connector/services/catalog/src/conversion/prove';
import type { Part } from '@connector/testing/explorer/schedule';
import {
  type ConversionWorld,
  conversionWorld,
  CRM_PUBLISHER,
  READER,
  signedMapping,
  WHOLE_MAPPING,
} from '@connector/testing/fixtures/conversion';
import { askedFor, WORKLOAD } from '@connector/testing/fixtures/publication';
import { asking, trustedPublisher } from '@connector/testing/fixtures/registry';
import type { Group, Site } from './group';
import { bindingOf } from './groups-membership';

const ORGANIZATION = 'org-1';

/** The CRM beside a legacy world that has it installed: one publisher and one App, so everything is taken away before each schedule. */
class LegacySite {
  private constructor(private readonly world: ConversionWorld) {}

  static async open({ schema }: Site): Promise<LegacySite> {
    const signer = await trustedPublisher(schema.db, CRM_PUBLISHER);
    return new LegacySite(await conversionWorld(schema, [ORGANIZATION], { signer }));
  }

  /** Converted and ACTIVE, at revision 1; `whole`: with nothing left to the legacy path, so with no reader. */
  static async converted(site: Site, whole: boolean): Promise<LegacySite> {
    const opened = await LegacySite.open(site);
    const { world } = opened;
    await world.convert(world.asked(ORGANIZATION, whole ? { mapping: signedMapping(WHOLE_MAPPING) } : {}));
    return opened;
  }

  /** The commit of a conversion that is proven, under this hold. */
  async converts(attemptId: OperationId): Promise<Part> {
    const { preparation, legacy } = this.world.conversion;
    if (legacy === undefined) throw new RangeError('no legacy world');
    const input = this.world.asked(ORGANIZATION);
    const proof = await prove(preparation, legacy, input);
    if (proof.kind !== 'proven') throw new RangeError(proof.kind);
    const { entry, release, gathered } = proof;
    const conversion = { key: this.key, attemptId, entry };
    const publication = { organization: ORGANIZATION, existing: null, asked: input.asked, release, gathered, conversion };
    const request = asking();
    const commandId = OperationId.mint();
    return { name: 'convert', open: (db) => openPublication(db, { ...publication, commandId }, request) };
  }

  givesUp(attemptId: OperationId): Part {
    return { name: 'give up', open: (db) => failConversion(db, { key: this.key, attemptId, faults: [], caller: 'test' }) };
  }

  /** The same App as anybody installs it. */
  async installs(): Promise<Part> {
    const input = await this.world.input(ORGANIZATION, askedFor(this.world.release1));
    const request = asking();
    return { name: 'install', open: (db) => openPublication(db, input, request) };
  }

  retires(): Part {
    const request = asking();
    const reader = { organization: ORGANIZATION, appId: CRM_APP_ID, reader: READER };
    return { name: 'retire reader', open: (db) => retireLegacyReader(db, reader, request) };
  }

  deletes(): Part {
    const request = asking();
    const decision = { organization: ORGANIZATION, appId: CRM_APP_ID, catalogRevision: 1n, entry: {} };
    return { name: 'delete', open: (db) => decideDeletion(db, decision, request) };
  }

  /** What serves in the organization is changed: the next revision. */
  async wants(): Promise<Part> {
    const { installation = '' } = (await readConversion(this.world.parts.db, ORGANIZATION)) ?? {};
    const bindings = [bindingOf('wanted')];
    const membership = { organization: ORGANIZATION, installation, workload: WORKLOAD, expectedCatalogRevision: 1n, bindings };
    const request = asking();
    return { name: 'want', open: (db) => setMembership(db, { ...membership, request }) };
  }

  private get key() {
    const { organization, packInstallId, appliedPayloadHash, appReleaseDigest } = this.world.asked(ORGANIZATION);
    return { organization, packInstallId, appliedPayloadHash, appReleaseDigest };
  }
}

const group = (name: string, meets: string, parts: (site: Site) => Promise<readonly Part[]>): Group => ({
  name,
  meets,
  once: true,
  arrange: async (site) => ({ parts: await parts(site), watch: { accounts: [], organizations: [ORGANIZATION] } }),
});

export const CONVERSION: readonly Group[] = [
  group('convert | convert', 'cat_publisher', async (at) => {
    const site = await LegacySite.open(at);
    return [await site.converts(OperationId.mint()), await site.converts(OperationId.mint())];
  }),
  group('convert | convert, one hold', 'cat_publisher', async (at) => {
    const site = await LegacySite.open(at);
    const hold = OperationId.mint();
    return [await site.converts(hold), await site.converts(hold)];
  }),
  group('convert | install', 'cat_publisher', async (at) => {
    const site = await LegacySite.open(at);
    return [await site.converts(OperationId.mint()), await site.installs()];
  }),
  group('convert | give up', 'cat_conversion', async (at) => {
    const site = await LegacySite.open(at);
    const hold = OperationId.mint();
    return [await site.converts(hold), site.givesUp(hold)];
  }),
  group('retire reader | delete legacy pack', 'cat_lineage', async (at) => {
    const site = await LegacySite.converted(at, false);
    return [site.retires(), site.deletes()];
  }),
  group('delete legacy pack | delete legacy pack', 'cat_lineage', async (at) => {
    const site = await LegacySite.converted(at, true);
    return [site.deletes(), site.deletes()];
  }),
  group('delete legacy pack | want', 'cat_lineage', async (at) => {
    const site = await LegacySite.converted(at, true);
    return [site.deletes(), await site.wants()];
  }),
];
