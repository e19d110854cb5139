import { Digest } from '@connector/kernel/digest';
import type { ViewBinding } from '@connector/catalog/model/documents';
import { setMembership } from '@connector/catalog/transitions/set-membership.tx';
import type { Part } from '@connector/testing/explorer/schedule';
import { installationRows, installedApp, type InstalledApp, RUNS } from '@connector/testing/fixtures/installation';
import { asking } from '@connector/testing/fixtures/registry';
import type { Group, Site, World } from './group';

const GENERATION = Digest.sha256(Buffer.from('generation'));
const [ONE, TWO] = ['018f3c2a-0001-7000-8000-000000000001', '018f3c2a-0001-7000-8000-000000000002'] as const;
/** A binding of one definition, told from others by its key. */
export const bindingOf = (key: string): ViewBinding => ({
  ...{ kind: 'field-mapping', owner_pack: 'dev.example.one', pack_installation_id: 'pi-1', business_key: key },
  ...{ pack_payload_digest: GENERATION, definition_version: '1', credential_refs: [] },
});

interface Wanted {
  readonly expected?: bigint;
  readonly workload?: string;
  readonly installation?: string;
}
function want(
  { organization, installation }: Pick<InstalledApp, 'organization' | 'installation'>,
  key: string,
  over: Wanted = {},
  request = asking(),
): Part {
  const input = {
    ...{ request, organization, installation: over.installation ?? installation, workload: over.workload ?? 'wl.workbench' },
    ...{ expectedCatalogRevision: over.expected ?? 1n, bindings: [bindingOf(key)] },
  };
  return { name: `want ${key}`, open: (db) => setMembership(db, input) };
}

/** An organization of its own with an ACTIVE installation of two workloads, at revision 1. */
async function installed(site: Site): Promise<InstalledApp> {
  const word = site.word();
  const grants = ['wl.other', 'wl.workbench'].map((workloadId) => ({ workloadId, capabilities: [RUNS] }));
  return site.together(() => installedApp(site.schema, { organization: `org-${word}`, installation: ONE, grants }));
}

const worldOf = (app: InstalledApp, ...parts: readonly Part[]): World => ({
  parts,
  watch: { accounts: [], organizations: [app.organization] },
});

/** The same with one that stands for the workload already, at revision 2. */
async function standing(site: Site): Promise<InstalledApp> {
  const app = await installed(site);
  await want(app, 'standing').open(site.schema.db);
  return app;
}

export const MEMBERSHIP: readonly Group[] = [
  {
    name: 'set membership | set membership',
    meets: 'cat_publication_barrier',
    arrange: async (site) => {
      const app = await installed(site);
      return worldOf(app, want(app, 'one'), want(app, 'two'));
    },
  },
  {
    name: 'set membership | set membership, the same',
    meets: 'cat_publication_barrier',
    arrange: async (site) => {
      const app = await installed(site);
      return worldOf(app, want(app, 'one'), want(app, 'one'));
    },
  },
  {
    name: 'set membership | set membership, one request',
    meets: 'cat_publication_barrier',
    arrange: async (site) => {
      const app = await standing(site);
      const request = asking();
      return worldOf(app, want(app, 'one', { expected: 2n }, request), want(app, 'one', { expected: 2n }, request));
    },
  },
  {
    name: 'set membership | set membership, one standing',
    meets: 'cat_publication_barrier',
    arrange: async (site) => {
      const app = await standing(site);
      return worldOf(app, want(app, 'one', { expected: 2n }), want(app, 'two', { expected: 2n }));
    },
  },
  {
    name: 'set membership | set membership, one after the other',
    meets: 'cat_publication_barrier',
    arrange: async (site) => {
      const app = await installed(site);
      return worldOf(app, want(app, 'one'), want(app, 'two', { expected: 2n, workload: 'wl.other' }));
    },
  },
  {
    name: 'set membership | set membership, two installations',
    meets: 'cat_lineage',
    arrange: async (site) => {
      const app = await installed(site);
      const other = { ...app, installation: TWO };
      await site.together(() => installationRows(site.schema, other));
      return worldOf(app, want(app, 'one'), want(other, 'two'));
    },
  },
];
