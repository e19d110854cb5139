import { Digest } from '@connector/kernel/digest';
import { InputFault } from '@connector/kernel/faults';
import {
  type InstalledApp,
  INSTALLATION,
  installationRows,
  installedApp,
  ORGANIZATION,
  RUNS,
} from '@connector/testing/fixtures/installation';
import { asking } from '@connector/testing/fixtures/registry';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { countOf } from '@connector/testing/fixtures/serving';
import { bindingView, type ViewBinding } from '../model/documents';
import { wasAuthorized } from '../reads/authorized-binding';
import { readCurrentView } from '../reads/current-view';
import { setMembership, type SetMembership } from './set-membership.tx';

let schema: TestSchema;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

const binding = (over: Partial<ViewBinding> = {}): ViewBinding => ({
  kind: 'callout-profile',
  owner_pack: 'dev.example.one',
  pack_installation_id: 'pi-1',
  pack_payload_digest: Digest.sha256(Buffer.from('generation 1')),
  business_key: 'thing/api',
  definition_version: '1',
  credential_refs: ['primary'],
  ...over,
});
const asked = (over: Partial<SetMembership> = {}): SetMembership => ({
  request: asking(),
  organization: ORGANIZATION,
  installation: INSTALLATION,
  workload: 'wl.workbench',
  expectedCatalogRevision: 1n,
  bindings: [binding()],
  ...over,
});
const set = (over: Partial<SetMembership> = {}) => setMembership(schema.db, asked(over));
const current = (workload = 'wl.workbench', installation = INSTALLATION) =>
  readCurrentView(schema.db, { organization: ORGANIZATION, installation, workload }, 0n);
const bindingsOf = async (workload?: string): Promise<readonly ViewBinding[]> => {
  const view = await current(workload);
  return view.kind === 'found' ? bindingView.parse(view.viewBytes).value.bindings : [];
};
const rows = async (): Promise<readonly number[]> => {
  const tables = ['cat_revision', 'cat_authorized_binding', 'cat_membership_head', 'cat_integration_view', 'cat_view_current', 'cat_audit'];
  return Promise.all([...tables, 'cat_request'].map((table) => countOf(schema, table)));
};
const revision = async (): Promise<string> =>
  String((await schema.sql('SELECT catalog_revision FROM cat_lineage'))[0]?.['catalog_revision']);
const OTHER: InstalledApp = {
  ...{ organization: ORGANIZATION, installation: '018f3c2a-0001-7000-8000-000000000009', lineageId: '', securityEpoch: 1n },
  ...{ appReleaseDigest: Digest.sha256(Buffer.from('other')), dependencyReleaseDigests: [] },
  grants: [{ workloadId: 'wl.workbench', capabilities: [RUNS] }],
};

describe('set-membership', () => {
  it('set: the bindings are the view of the workload at the next revision of its organization (cat:INT-01)', async () => {
    await installedApp(schema);
    const row = binding({ runtime_command: { definition_id: 'dev.example/run', definition_version: '1' }, credential_refs: [] });
    const bindings = [row, binding({ business_key: 'a/first' })];
    expect(await set({ bindings })).toMatchObject({ kind: 'set', catalogRevision: 2n });
    expect(await bindingsOf()).toEqual([binding({ business_key: 'a/first' }), row]);
    expect([await revision(), await rows()]).toEqual(['2', [1, 2, 1, 1, 1, 1, 1]]);
  });

  it('set: a membership is replaced whole, also by none; the first one’s rows stay (cat:INT-06)', async () => {
    await installedApp(schema);
    await set();
    expect(await set({ expectedCatalogRevision: 2n, bindings: [] })).toMatchObject({ kind: 'set', catalogRevision: 3n });
    expect(await current()).toMatchObject({ kind: 'found', lineage: { catalogRevision: 3n } });
    expect([await bindingsOf(), await rows()]).toEqual([[], [2, 1, 1, 2, 1, 2, 2]]);
  });

  it('already-set: what stands is asked for again, by whoever, under whatever revision; nothing moves', async () => {
    await installedApp(schema);
    const first = await set();
    const before = await rows();
    for (const expectedCatalogRevision of [1n, 2n, 9n])
      expect(await set({ expectedCatalogRevision })).toEqual({ ...first, kind: 'already-set' });
    expect([await rows(), await revision()]).toEqual([before, '2']);
  });

  it('set: the same request again is answered as the first time, though another membership stands by then', async () => {
    await installedApp(schema);
    const input = asked();
    const first = await setMembership(schema.db, input);
    await set({ expectedCatalogRevision: 2n, bindings: [] });
    expect(await setMembership(schema.db, input)).toEqual(first);
    expect([await bindingsOf(), await revision()]).toEqual([[], '3']);
  });

  it('refused: a request key that stands for another request', async () => {
    await installedApp(schema);
    const input = asked();
    await setMembership(schema.db, input);
    const request = { ...input.request, digest: Digest.sha256(Buffer.from('another')) };
    await expect(setMembership(schema.db, { ...input, request, bindings: [] })).rejects.toThrow(InputFault);
  });

  it('revision-moved: somebody changed the organization since; nothing is written', async () => {
    await installedApp(schema);
    expect(await set({ expectedCatalogRevision: 0n })).toEqual({ kind: 'revision-moved', catalogRevision: 1n });
    expect(await set({ expectedCatalogRevision: 2n })).toEqual({ kind: 'revision-moved', catalogRevision: 1n });
    expect(await rows()).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it('installation-absent: no such organization, no such installation', async () => {
    expect(await set()).toEqual({ kind: 'installation-absent' });
    await installedApp(schema);
    expect(await set({ installation: OTHER.installation })).toEqual({ kind: 'installation-absent' });
    expect(await rows()).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it('installation-removed: history is wanted nothing of', async () => {
    await installedApp(schema);
    await schema.sql("UPDATE cat_installation SET state = 'REMOVED'");
    expect(await set()).toEqual({ kind: 'installation-removed' });
    expect(await rows()).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it('set: before an installation is ACTIVE it is wanted and has no view (cat:INT-22)', async () => {
    await installedApp(schema);
    await schema.sql(
      "UPDATE cat_installation SET state = 'PREPARING', active_attempt = NULL, active_security_epoch = NULL, active_release_digest = NULL",
    );
    expect(await set()).toMatchObject({ kind: 'set', catalogRevision: 2n });
    expect(await current()).toEqual({ kind: 'absent', code: 'INSTALLATION_NOT_ACTIVE' });
    expect(await countOf(schema, 'cat_integration_view')).toBe(0);
  });

  it('set: a workload that the installation does not authorize gets no view (cat:INT-02)', async () => {
    await installedApp(schema);
    expect((await set({ workload: 'wl.other' })).kind).toBe('set');
    expect(await current('wl.other')).toEqual({ kind: 'absent', code: 'WORKLOAD_NOT_AUTHORIZED' });
  });

  it('kept: the views of other workloads and installations keep the revision of their own last change (cat:INT-20)', async () => {
    const grants = ['wl.other', 'wl.workbench'].map((workloadId) => ({ workloadId, capabilities: [RUNS] }));
    await installedApp(schema, { grants });
    await installationRows(schema, OTHER);
    await set();
    const before = await current();
    await set({ workload: 'wl.other', expectedCatalogRevision: 2n });
    await set({ installation: OTHER.installation, expectedCatalogRevision: 3n, bindings: [] });
    expect(await current()).toEqual(before);
    expect([await revision(), (await current('wl.other')).kind]).toEqual(['4', 'found']);
  });

  it('set: one workload of two installations has the bindings of each in the view of each alone (cat:INT-01, cat:INT-02)', async () => {
    await installedApp(schema);
    await installationRows(schema, OTHER);
    const { installation } = OTHER;
    const [ours, theirs] = [binding({ business_key: 'thing/ours' }), binding({ business_key: 'thing/theirs' })];
    await set({ bindings: [ours] });
    await set({ installation, expectedCatalogRevision: 2n, bindings: [ours, theirs] });
    const standing = await current();
    await set({ installation, expectedCatalogRevision: 3n, bindings: [theirs] });
    expect([await current(), await bindingsOf()]).toEqual([standing, [ours]]);
    const other = await current('wl.workbench', installation);
    expect(other.kind === 'found' && bindingView.parse(other.viewBytes).value.bindings).toEqual([theirs]);
    await set({ expectedCatalogRevision: 4n, bindings: [] });
    expect([await bindingsOf(), await current('wl.workbench', installation)]).toEqual([[], other]);
  });

  it('readable: a binding that a later membership leaves out, by its whole identity and by no other (cat:INT-12, cat:INT-13)', async () => {
    await installedApp(schema);
    await set();
    await set({ expectedCatalogRevision: 2n, bindings: [] });
    const { owner_pack: ownerPack, pack_installation_id: packInstallation, business_key: businessKey } = binding();
    const identity = {
      ...{ organization: ORGANIZATION, installation: INSTALLATION, workload: 'wl.workbench', kind: binding().kind },
      ...{ ownerPack, packInstallation, packPayloadDigest: binding().pack_payload_digest, businessKey, definitionVersion: '1' },
    };
    expect(await wasAuthorized(schema.db, identity)).toBe(true);
    const others = [
      { organization: 'x' },
      { installation: OTHER.installation },
      { workload: 'wl.other' },
      { kind: 'push-contract' as const },
      { ownerPack: 'x' },
      { packInstallation: 'x' },
      { packPayloadDigest: Digest.sha256(Buffer.from('generation 2')) },
      { businessKey: 'x' },
      { definitionVersion: '2' },
    ];
    for (const over of others) expect(await wasAuthorized(schema.db, { ...identity, ...over })).toBe(false);
  });
});
