import { failPublication } from '@connector/catalog/transitions/installation/fail-publication.tx';
import { openPublication } from '@connector/catalog/transitions/installation/open-publication.tx';
import { Publication } from '@connector/testing/fixtures/publication-steps';
import { publish } from '@connector/catalog/transitions/installation/publish.tx';
import { recordAcknowledged } from '@connector/catalog/transitions/installation/record-acknowledged.tx';
import { recordCompiled } from '@connector/catalog/transitions/installation/record-compiled.tx';
import { setMembership } from '@connector/catalog/transitions/set-membership.tx';
import type { OpenAttempt } from '@connector/catalog/model/installation/attempt';
import type { Part } from '@connector/testing/explorer/schedule';
import { askedFor, platform, publicationWorld, type PublicationWorld } from '@connector/testing/fixtures/publication';
import { asking } from '@connector/testing/fixtures/registry';
import type { Group, Site, World } from './group';
import { bindingOf } from './groups-membership';

/** A publisher, its two Apps and an organization that no other schedule has. */
class Ground {
  private constructor(
    private readonly site: Site,
    readonly organization: string,
    private readonly apps: readonly [string, string],
    private readonly world: PublicationWorld,
  ) {}

  static async open(site: Site): Promise<Ground> {
    const word = site.word();
    const apps = [`dev.${word}.one`, `dev.${word}.two`] as const;
    const world = await publicationWorld(site.schema, { publisher: `dev.${word}`, offered: platform({}, apps) });
    // The organization is called as the publisher is: names of one schedule are taken out of its rows by the organization's.
    return new Ground(site, `dev.${word}`, apps, world);
  }

  of(...parts: readonly Part[]): World {
    return { parts, watch: { accounts: [], organizations: [this.organization] } };
  }

  /** The organization has a history, at revision 0: nobody has to begin it. */
  async begun(): Promise<void> {
    const row = [Buffer.from(this.organization), Buffer.from('01900000-0000-7000-8000-000000000001')];
    await this.site.schema.sql('INSERT INTO cat_lineage (organization_id, lineage_id, catalog_revision) VALUES (?, ?, 0)', row);
  }

  /** Step 1 of the first or the second App, with what was gathered now. */
  async install(which: 0 | 1, request = asking()): Promise<Part> {
    const release = await this.world.release(undefined, this.apps[which]);
    const input = await this.world.input(this.organization, askedFor(release));
    return { name: `install ${which}`, open: (db) => openPublication(db, input, request) };
  }

  async opened(): Promise<OpenAttempt> {
    return this.world.opened(this.organization, askedFor(await this.world.release(undefined, this.apps[0])));
  }

  /** An open attempt that waits for its step 4. */
  async ready(): Promise<OpenAttempt> {
    const open = await this.opened();
    await this.run(open).toPublish();
    return open;
  }

  run(open: OpenAttempt): Publication {
    return new Publication(this.site.schema.db, this.world, open);
  }

  async compiles(open: OpenAttempt): Promise<Part> {
    const made = await this.run(open).projections();
    return { name: 'compiled', open: (db) => recordCompiled(db, { ...open, ...made }) };
  }

  async acknowledges(open: OpenAttempt): Promise<Part> {
    const bound = await this.run(open).send();
    return { name: 'acknowledged', open: (db) => recordAcknowledged(db, { ...open, bound }) };
  }
}

const publishes = (open: OpenAttempt): Part => ({ name: 'publish', open: (db) => publish(db, { ...open, schemaGeneration: '7' }) });
const fails = (open: OpenAttempt): Part => ({
  name: 'fail',
  open: (db) => failPublication(db, { ...open, code: 'ABANDONED', detail: 'explored', by: 'test' }),
});
/** One binding of the workload that the installation authorizes, under the revision before or after its step 4. */
const wants = ({ organization, installation }: OpenAttempt, expectedCatalogRevision: bigint): Part => {
  const input = {
    request: asking(),
    organization,
    installation,
    workload: 'dev.example.runner',
    expectedCatalogRevision,
    bindings: [bindingOf('wanted')],
  };
  return { name: 'want', open: (db) => setMembership(db, input) };
};

const LINEAGE = 'cat_lineage';
/** Of one installation: its authors meet there first. */
const BARRIER = 'cat_publication_barrier';
/** Installing judges trust first, so that is where two of one publisher meet. */
const PUBLISHER = 'cat_publisher';

const group = (name: string, meets: string, parts: (ground: Ground) => Promise<readonly Part[]>): Group => ({
  name,
  meets,
  arrange: async (site) => {
    const ground = await Ground.open(site);
    return ground.of(...(await parts(ground)));
  },
});
const twice = (part: Part): readonly Part[] => [part, part];

export const PUBLICATION: readonly Group[] = [
  group('install | install, the first of an organization', PUBLISHER, async (ground) => [await ground.install(0), await ground.install(1)]),
  group('install | install, one App', PUBLISHER, async (ground) => {
    await ground.begun();
    return [await ground.install(0), await ground.install(0)];
  }),
  group('install | install, two Apps', PUBLISHER, async (ground) => {
    await ground.begun();
    return [await ground.install(0), await ground.install(1)];
  }),
  group('install | install, one request', PUBLISHER, async (ground) => twice(await ground.install(0))),
  group('compiled | compiled', LINEAGE, async (ground) => twice(await ground.compiles(await ground.opened()))),
  group('compiled | fail', LINEAGE, async (ground) => {
    const open = await ground.opened();
    return [await ground.compiles(open), fails(open)];
  }),
  group('acknowledged | fail', LINEAGE, async (ground) => {
    const open = await ground.opened();
    return [await ground.acknowledges(open), fails(open)];
  }),
  group('publish | publish', BARRIER, async (ground) => twice(publishes(await ground.ready()))),
  group('publish | fail', BARRIER, async (ground) => {
    const open = await ground.ready();
    return [publishes(open), fails(open)];
  }),
  group('publish | install', LINEAGE, async (ground) => {
    const open = await ground.ready();
    return [publishes(open), await ground.install(1)];
  }),
  group('publish | want', BARRIER, async (ground) => {
    const open = await ground.ready();
    return [publishes(open), wants(open, 0n)];
  }),
  group('publish | want, after it', BARRIER, async (ground) => {
    const open = await ground.ready();
    return [publishes(open), wants(open, 1n)];
  }),
];
