import { Digest } from '@connector/kernel/digest';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { countOf } from '@connector/testing/fixtures/serving';
import { bindingReceipt, bindingView, sourceSnapshot, type ViewBinding } from '../model/documents';
import { readCurrentView } from '../reads/current-view';
import { setInterimView, type SetInterimView } from './set-interim-view.tx';

let schema: TestSchema;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

const SCOPE = { organization: 'org-1', installation: 'inst-1', workload: 'wl.runner' };
const binding = (businessKey: string, change: Partial<ViewBinding> = {}): ViewBinding => ({
  kind: 'inbound-route',
  owner_pack: 'dev.example.north',
  pack_installation_id: 'pi-1',
  pack_payload_digest: Digest.sha256(Buffer.from('pack')),
  business_key: businessKey,
  definition_version: '1',
  credential_refs: ['primary'],
  ...change,
});
const input = (catalogRevision: bigint, bindings = [binding('record/changed')]): SetInterimView => ({
  ...SCOPE,
  lineageId: 'lin-1',
  catalogRevision,
  bindings,
});
const current = (min = 0n) => readCurrentView(schema.db, SCOPE, min);

describe('set-interim-view', () => {
  it('set: cat:INT-10 view, snapshot and receipt agree, and say by their values that no App is behind them', async () => {
    const set = await setInterimView(schema.db, input(1n));
    const view = await current();
    if (view.kind !== 'found' || set.kind !== 'set') throw new Error(`${view.kind} ${set.kind}`);
    const parsed = bindingView.parse(view.viewBytes);
    const receipt = bindingReceipt.parse(view.receiptBytes);
    expect([parsed.digest, receipt.digest]).toEqual([set.viewDigest, set.receiptDigest]);
    expect(parsed.value.lineage).toEqual({ lineage_id: 'lin-1', catalog_revision: '1', activation_epoch: '1' });
    expect(receipt.value).toMatchObject({
      lineage: parsed.value.lineage,
      view_digest: parsed.digest,
      security_epoch: '0',
      capability_version: '0',
    });
    const [row] = await schema.sql('SELECT source_snapshot FROM cat_interim_view');
    const snapshot = sourceSnapshot.parse(row?.['source_snapshot'] as Buffer);
    expect(snapshot.value.app_release_digest).toBe(Digest.sha256(Buffer.from('interim')));
    expect([parsed.value.source_snapshot_digest, receipt.value.source_snapshot_digest, view.sourceSnapshotDigest]).toEqual(
      Array(3).fill(snapshot.digest),
    );
  });

  it('already-set: cat:INT-05 the same bindings in any order are the same view, byte for byte', async () => {
    const [one, two] = [binding('record/a'), binding('record/b')];
    const set = await setInterimView(schema.db, input(1n, [one, two]));
    expect(await setInterimView(schema.db, input(1n, [two, one]))).toEqual({ ...set, kind: 'already-set' });
    expect(await countOf(schema, 'cat_interim_view')).toBe(1);
  });

  it('already-set: of concurrent authors of one view one stores it', async () => {
    const kinds = (await Promise.all([1, 2, 3].map(() => setInterimView(schema.db, input(1n))))).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['already-set', 'already-set', 'set']);
  });

  it('conflicting-view: another view has this revision', async () => {
    await setInterimView(schema.db, input(1n));
    expect(await setInterimView(schema.db, input(1n, []))).toMatchObject({ kind: 'conflicting-view' });
  });

  it.each([2n, 3n])('revision-moved: revision %s does not follow the last one', async (revision) => {
    expect(await setInterimView(schema.db, input(revision))).toEqual({ kind: 'revision-moved', catalogRevision: 0n });
  });

  it('revision-moved: a revision that has passed is not written again', async () => {
    await setInterimView(schema.db, input(1n));
    await setInterimView(schema.db, input(2n));
    expect(await setInterimView(schema.db, input(1n))).toEqual({ kind: 'revision-moved', catalogRevision: 2n });
  });

  it('lineage-differs: one workload has one lineage', async () => {
    await setInterimView(schema.db, input(1n));
    expect(await setInterimView(schema.db, { ...input(2n), lineageId: 'lin-2' })).toEqual({ kind: 'lineage-differs', lineageId: 'lin-1' });
  });

  it.each([
    ['a binding twice (cat:INT-05)', [binding('record/a'), binding('record/a')]],
    [
      'two generations of one pack',
      [binding('record/a'), binding('record/b', { pack_payload_digest: Digest.sha256(Buffer.from('other')) })],
    ],
    ['a fifth kind (cat:INT-03)', [binding('record/a', { kind: 'other' as ViewBinding['kind'] })]],
    ['a credential reference twice (cat:INT-15)', [binding('record/a', { credential_refs: ['a', 'a'] })]],
  ])('refused: %s', async (_what, bindings) => {
    await expect(setInterimView(schema.db, input(1n, bindings))).rejects.toMatchObject({ name: 'InputFault' });
    expect(await countOf(schema, 'cat_interim_view')).toBe(0);
  });

  it('refused: revision 0', async () => {
    await expect(setInterimView(schema.db, input(0n))).rejects.toMatchObject({ name: 'InputFault' });
  });
});

describe('read-current-view', () => {
  it('found: cat:INT-06 asking for an older revision gives the whole current view', async () => {
    await setInterimView(schema.db, input(1n));
    const second = await setInterimView(schema.db, input(2n, []));
    expect(await current(1n)).toMatchObject({
      kind: 'found',
      catalogRevision: 2n,
      viewDigest: 'viewDigest' in second && second.viewDigest,
    });
  });

  it('not-fresh: cat:INT-06 asking for a future one', async () => {
    await setInterimView(schema.db, input(1n));
    expect(await current(2n)).toEqual({ kind: 'not-fresh', currentRevision: 1n });
  });

  it('absent: cat:INT-02 a workload that has no view', async () => {
    await setInterimView(schema.db, input(1n));
    expect(await readCurrentView(schema.db, { ...SCOPE, workload: 'wl.other' }, 0n)).toEqual({
      kind: 'absent',
      code: 'WORKLOAD_NOT_AUTHORIZED',
    });
  });
});
