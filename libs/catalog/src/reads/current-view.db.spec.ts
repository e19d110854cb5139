import * as fc from 'fast-check';
import { Digest } from '@connector/kernel/digest';
import { INSTALLATION, installedApp, ORGANIZATION, RUNS } from '@connector/testing/fixtures/installation';
import { asking } from '@connector/testing/fixtures/registry';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { bindingReceipt, bindingView, sourceSnapshot, type ViewBinding } from '../model/documents';
import { setMembership } from '../transitions/set-membership.tx';
import { readCurrentView } from './current-view';

let schema: TestSchema;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

const SCOPE = { organization: ORGANIZATION, installation: INSTALLATION, workload: 'wl.workbench' };
const current = (min = 0n, over: Partial<typeof SCOPE> = {}) => readCurrentView(schema.db, { ...SCOPE, ...over }, min);
const bindingOf = (key: string): ViewBinding => ({
  ...{ kind: 'field-mapping', owner_pack: 'dev.example.one', pack_installation_id: 'pi-1', business_key: key },
  ...{ pack_payload_digest: Digest.sha256(Buffer.from('generation')), definition_version: '1', credential_refs: [] },
});
/** The bindings of the workbench, at the revision behind the one that is given. */
async function wanted(at: bigint, ...keys: readonly string[]): Promise<void> {
  const bindings = keys.map(bindingOf);
  const answer = await setMembership(schema.db, { request: asking(), ...SCOPE, expectedCatalogRevision: at, bindings });
  expect(answer.kind).toBe('set');
}
async function found(min = 0n) {
  const view = await current(min);
  if (view.kind !== 'found') throw new Error(view.kind);
  return view;
}

/** As a process that was started anew has it: nothing that this one has loaded or kept. */
function loadedAnew(): typeof readCurrentView {
  let loaded = readCurrentView;
  jest.isolateModules(() => {
    loaded = (jest.requireActual('./current-view') as { readCurrentView: typeof readCurrentView }).readCurrentView;
  });
  expect(loaded).not.toBe(readCurrentView);
  return loaded;
}

describe('current view', () => {
  it('found: exact bytes with their digests, a receipt over them, and one lineage in both (cat:INT-02, cat:INT-08, cat:A-46)', async () => {
    await installedApp(schema, { securityEpoch: 7n });
    await wanted(1n, 'a');
    const view = await found();
    const { value, digest } = bindingView.parse(view.viewBytes);
    const receipt = bindingReceipt.parse(view.receiptBytes);
    const lineage = { lineage_id: '018f3c2a-0001-7000-8000-000000000003', catalog_revision: '2', activation_epoch: '1' };
    expect([digest, receipt.digest]).toEqual([view.viewDigest, view.receiptDigest]);
    expect([value.lineage, receipt.value.lineage]).toEqual([lineage, lineage]);
    expect(receipt.value).toMatchObject({ security_epoch: '7', capability_version: '1', view_digest: digest });
    const [stored] = await schema.sql('SELECT source_snapshot FROM cat_integration_view');
    expect(sourceSnapshot.parse(stored?.['source_snapshot'] as Buffer).digest).toBe(view.sourceSnapshotDigest);
  });

  it('found: the same bytes from another process, as often as they are asked for (cat:INT-08)', async () => {
    await installedApp(schema);
    await wanted(1n, 'b', 'a');
    const first = await found();
    expect(await readCurrentView(schema.another(), SCOPE, 0n)).toEqual(first);
    expect(await found()).toEqual(first);
  });

  it('found: the same bytes after a restart and under whatever order, of generated facts (cat:INT-05, cat:INT-08)', async () => {
    const seed = Date.now() % 2_147_483_647;
    console.log(`current view: fast-check seed ${seed}`);
    const keys = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { minLength: 1, maxLength: 5 });
    const facts = keys.chain((given) => fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })));
    let runs = 0;
    const property = fc.asyncProperty(facts, fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }), async ([given, shuffled], securityEpoch) => {
      const organization = `org-${(runs += 1)}`;
      await installedApp(schema, { organization, securityEpoch });
      const set = async (some: readonly string[], expectedCatalogRevision: bigint) =>
        setMembership(schema.db, { request: asking(), ...SCOPE, organization, expectedCatalogRevision, bindings: some.map(bindingOf) });
      const first = await set(given, 1n);
      const view = await current(0n, { organization });
      expect([first.kind, view.kind]).toEqual(['set', 'found']);
      expect(await set(shuffled, 1n)).toEqual({ ...first, kind: 'already-set' });
      expect(await loadedAnew()(schema.another(), { ...SCOPE, organization }, 0n)).toEqual(view);
    });
    await fc.assert(property, { seed, numRuns: 8 });
    expect(runs).toBeGreaterThanOrEqual(8);
  });

  it('found: only the security epoch moved: the same view, another receipt (cat:INT-20, cat:SEC-16)', async () => {
    await installedApp(schema);
    await wanted(1n, 'a');
    const first = await found();
    await schema.sql('UPDATE cat_installation SET active_security_epoch = 2');
    const second = await found();
    expect([second.viewBytes, second.viewDigest]).toEqual([first.viewBytes, first.viewDigest]);
    expect(second.receiptDigest).not.toBe(first.receiptDigest);
  });

  it('found: an older revision than the present one is answered with the whole present one (cat:INT-06)', async () => {
    await installedApp(schema);
    await wanted(1n, 'a');
    await wanted(2n, 'b');
    for (const min of [0n, 2n, 3n]) expect(bindingView.parse((await found(min)).viewBytes).value.bindings).toEqual([bindingOf('b')]);
  });

  it('not-fresh: below the asked revision nothing is said, an absence neither; the head of the organization counts (cat:INT-06)', async () => {
    expect(await current(1n)).toEqual({ kind: 'not-fresh', currentRevision: 0n });
    await installedApp(schema);
    await wanted(1n, 'a');
    expect(await current(3n)).toEqual({ kind: 'not-fresh', currentRevision: 2n });
    expect(await current(3n, { workload: 'wl.other' })).toEqual({ kind: 'not-fresh', currentRevision: 2n });
    // Somebody else's change raises the head and not this view (decisions 12.3).
    await schema.sql('UPDATE cat_lineage SET catalog_revision = 3');
    expect((await found(3n)).lineage.catalogRevision).toBe(2n);
  });

  it('absent: INSTALLATION_NOT_ACTIVE where no ACTIVE tuple is published (cat:INT-22)', async () => {
    const absent = { kind: 'absent', code: 'INSTALLATION_NOT_ACTIVE' };
    expect(await current()).toEqual(absent);
    await installedApp(schema);
    await wanted(1n, 'a');
    expect(await current(0n, { installation: 'other' })).toEqual(absent);
    expect(await current(0n, { organization: 'other' })).toEqual(absent);
    await schema.sql(
      'UPDATE cat_installation SET active_release_digest = NULL, active_attempt = NULL, active_security_epoch = NULL, active_revision = NULL',
    );
    for (const state of ['PREPARING', 'FAILED', 'REMOVED', 'REMOVING']) {
      await schema.sql('UPDATE cat_installation SET state = ?', [Buffer.from(state)]);
      expect(await current()).toEqual(absent);
    }
  });

  it('absent: INSTALLATION_NOT_ACTIVE for another organization that serves and knows the name of the installation (cat:INT-02)', async () => {
    await installedApp(schema);
    await wanted(1n, 'a');
    const [organization, installation] = ['org-2', '018f3c2a-0001-7000-8000-000000000009'];
    await installedApp(schema, { organization, installation });
    expect(await current(0n, { organization })).toEqual({ kind: 'absent', code: 'INSTALLATION_NOT_ACTIVE' });
    expect(await current(0n, { installation })).toEqual({ kind: 'absent', code: 'INSTALLATION_NOT_ACTIVE' });
  });

  it.each(['UPGRADING', 'ROLLING_BACK', 'FAILED', 'ACTIVE'])('found: %s serves what was published last (cat:A-28)', async (state) => {
    await installedApp(schema);
    await wanted(1n, 'a');
    await schema.sql('UPDATE cat_installation SET state = ?', [Buffer.from(state)]);
    expect((await current()).kind).toBe('found');
  });

  it('absent: WORKLOAD_NOT_AUTHORIZED for a workload of no tuple, of an earlier tuple, or without the capability (cat:INT-02)', async () => {
    const absent = { kind: 'absent', code: 'WORKLOAD_NOT_AUTHORIZED' };
    await installedApp(schema, {
      grants: [
        { workloadId: 'wl.reader', capabilities: ['runtime.records.read.v1'] },
        { workloadId: 'wl.workbench', capabilities: [RUNS] },
      ],
    });
    await wanted(1n, 'a');
    const input = { request: asking(), ...SCOPE, expectedCatalogRevision: 2n, bindings: [] };
    await setMembership(schema.db, { ...input, workload: 'wl.reader' });
    for (const workload of ['wl.other', 'wl.reader', 'wl.workbench ']) expect(await current(0n, { workload })).toEqual(absent);
    // The next publication made no view for this workload any more.
    await schema.sql('UPDATE cat_installation SET activation_epoch = 2');
    expect(await current()).toEqual(absent);
  });

  it('mismatch: stored bytes that are not those of their digest are no view (cat:INT-09)', async () => {
    await installedApp(schema);
    await wanted(1n, 'a');
    await schema.sql("UPDATE cat_integration_view SET view = CONCAT(view, ' ')");
    expect(await current()).toEqual({ kind: 'mismatch', code: 'DIGEST_MISMATCH' });
  });
});
