import type { AskedInstallation } from '@connector/catalog/model/installation/asked';
import type { AppRelease } from '@connector/catalog/model/release';
import { readInstallation } from '@connector/catalog/reads/installation';
import { setMembership } from '@connector/catalog/transitions/set-membership.tx';
import { authorConfiguration } from '@connector/control/transitions/author-configuration.tx';
import { authorCredential } from '@connector/control/transitions/author-credential.tx';
import { configurationInput, credentialInput } from '@connector/control/transitions/control.fixture';
import { Digest } from '@connector/kernel/digest';
import { isUuid7 } from '@connector/kernel/ids';
import { upgradeInstallation } from '@connector/services/catalog/src/installations/change-release';
import { activate, stage } from '@connector/services/catalog/src/installations/rebind';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import type { ReleaseDraft } from '@connector/testing/fixtures/app-release';
import {
  APP,
  askedFor,
  platform,
  type PublicationWorld,
  publicationWorld,
  SERVICE_RELEASE,
  WORKLOAD,
} from '@connector/testing/fixtures/publication';
import { asking, rowsOf } from '@connector/testing/fixtures/registry';

const ORG = 'org-1';
const digestOf = (text: string): Digest => Digest.sha256(Buffer.from(text));
const NEXT_SERVICE = digestOf('the next service release');
const [FRONTEND, NEXT_FRONTEND] = [digestOf('a frontend release'), digestOf('the next frontend release')];
const protocol = (protocol_id: string) => ({ protocol_id, major: 1, minimum_minor: 0 });
const offer = (protocol_id: string) => ({ protocol_id, major: 1, minor: 0 });
const [HOST, PARTS] = ['dev.example.host-sdk', 'dev.example.parts'];
const handlers = [{ handler_ref: `${APP}.handler.work.v1`, protocol_minor: 0 }];
const service = (service_release_digest: Digest) => ({ service_release_digest, handlers });
const deployed = (...services: readonly Digest[]) =>
  platform({
    protocols: [offer(HOST)],
    workloads: [{ workload_id: WORKLOAD, service_releases: services.map(service) }],
    frontends: [FRONTEND, NEXT_FRONTEND].map((digest) => ({
      frontend_release_digest: digest,
      host_sdk: offer(HOST),
      contribution_schema: offer(PARTS),
    })),
  });

let schema: TestSchema;
let world: PublicationWorld;
let release: AppRelease;
let installation: string;

const withFrontend = ({ manifest }: ReleaseDraft): void => {
  manifest['frontend_compatibility'] = { mode: 'required', host_sdk: protocol(HOST), contribution_schema: protocol(PARTS) };
};
const asked = (of: AppRelease): AskedInstallation => askedFor(of, { frontendReleaseDigest: FRONTEND });

async function install(organization: string): Promise<string> {
  const answer = await world.install(organization, asked(release));
  if (answer.kind !== 'opened' || answer.end.kind !== 'published') throw new RangeError(`not installed: ${answer.kind}`);
  return answer.installation;
}

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  world = await publicationWorld(schema, { offered: deployed(SERVICE_RELEASE, NEXT_SERVICE) });
  release = await world.release(withFrontend);
  installation = await install(ORG);
});
afterAll(() => schema.close());

/** The four planes of an installation, as a reader is given them. */
async function planes() {
  const found = await readInstallation(schema.db, ORG, installation);
  if (found.kind === 'absent') throw new RangeError('no installation');
  const active = found.bindings.filter(({ state }) => state === 'ACTIVE');
  const [lineage] = await schema.sql('SELECT catalog_revision FROM cat_lineage WHERE organization_id = ?', [Buffer.from(ORG)]);
  const artifact = (capability: string) => active.find(({ capabilityId }) => capabilityId === capability)?.artifactDigest;
  return {
    AppRelease: found.activeReleaseDigest,
    ServiceRelease: artifact(`${APP}.work.v1`),
    FrontendRelease: artifact('frontend'),
    CatalogRevision: BigInt(String(lineage?.['catalog_revision'])),
  };
}

async function rebind(capabilityId: string, workloadId: string | null, artifactDigest: Digest): Promise<void> {
  const staged = await stage(
    world.parts,
    { organization: ORG, installation, rebinding: { capabilityId, workloadId, artifactDigest } },
    asking(),
  );
  if (staged.kind !== 'staged') throw new RangeError(`not staged: ${staged.kind}`);
  const ref = { organization: ORG, installation, bindingId: staged.bindingId, expectedOwnershipEpoch: 1n };
  expect(await activate(world.parts, ref, asking())).toMatchObject({ kind: 'activated' });
}

describe('planes that move alone', () => {
  it('a service, a frontend, a membership and a release: each changes its own identity and the revision, and none of the other two (cat:OWN-18, cat:REJ-07, cat:FAIL-07)', async () => {
    const first = { AppRelease: release.releaseDigest, ServiceRelease: SERVICE_RELEASE, FrontendRelease: FRONTEND, CatalogRevision: 1n };
    expect(await planes()).toEqual(first);
    const releases = await rowsOf(schema, 'cat_app_release', 'cat_metadata_bundle');

    await rebind(`${APP}.work.v1`, WORKLOAD, NEXT_SERVICE);
    expect(await planes()).toEqual({ ...first, ServiceRelease: NEXT_SERVICE, CatalogRevision: 2n });
    await rebind('frontend', null, NEXT_FRONTEND);
    const moved = { ...first, ServiceRelease: NEXT_SERVICE, FrontendRelease: NEXT_FRONTEND };
    expect(await planes()).toEqual({ ...moved, CatalogRevision: 3n });
    const membership = { organization: ORG, installation, workload: WORKLOAD, expectedCatalogRevision: 3n, bindings: [] };
    expect(await setMembership(schema.db, { ...membership, request: asking() })).toMatchObject({ kind: 'set' });
    expect(await planes()).toEqual({ ...moved, CatalogRevision: 4n });
    expect(await rowsOf(schema, 'cat_app_release', 'cat_metadata_bundle')).toBe(releases);

    const next = await world.release(withFrontend, APP, '1.1.0');
    const seen = { organization: ORG, installation, expectedState: 'ACTIVE', expectedActivationEpoch: 1n } as const;
    const bound = {
      ...asked(next),
      frontendReleaseDigest: NEXT_FRONTEND,
      handlerBindings: [{ capabilityId: `${APP}.work.v1`, workloadId: WORKLOAD, serviceReleaseDigest: NEXT_SERVICE }],
    };
    expect(await upgradeInstallation(world.parts, seen, bound, asking())).toMatchObject({ end: { kind: 'published' } });
    expect(await planes()).toEqual({ ...moved, AppRelease: next.releaseDigest, CatalogRevision: 5n });
  });

  it('what is configured, and what is deployed: neither takes a revision, a release or a binding (cat:OWN-20, cat:OWN-14, cat:SEC-13)', async () => {
    const tables = (await schema.sql('SHOW TABLES')).map((row) => String(Object.values(row)[0]));
    const catalog = tables.filter((name) => /^(cat|sec|art)_/.test(name));
    expect(catalog.length).toBeGreaterThan(30);
    const before = await rowsOf(schema, ...catalog);

    const credential = credentialInput();
    expect(await authorCredential(schema.db, credential)).toMatchObject({ kind: 'authored' });
    expect(await authorConfiguration(schema.db, configurationInput(credential.generationId))).toMatchObject({ kind: 'authored' });
    for (const services of [[SERVICE_RELEASE, NEXT_SERVICE, digestOf('a third')], [NEXT_SERVICE], []]) {
      world.offered = deployed(...services);
      expect(await planes()).toMatchObject({ ServiceRelease: SERVICE_RELEASE, CatalogRevision: 1n });
    }
    expect(await rowsOf(schema, ...catalog)).toBe(before);
  });

  it('a revision counts the changes of one organization, in a history that has a name of its own (cat:A-26)', async () => {
    await install('org-2');
    await rebind(`${APP}.work.v1`, WORKLOAD, NEXT_SERVICE);
    const rows = await schema.sql('SELECT organization_id, lineage_id, catalog_revision FROM cat_lineage ORDER BY organization_id');
    const found = rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])));
    expect(found.map(({ organization_id: organization, catalog_revision: revision }) => [organization, revision])).toEqual([
      ['org-1', '2'],
      ['org-2', '1'],
    ]);
    expect(found.filter(({ lineage_id: lineage = '' }) => !isUuid7(lineage))).toEqual([]);
    expect(new Set(found.map(({ lineage_id: lineage }) => lineage)).size).toBe(2);
  });
});
