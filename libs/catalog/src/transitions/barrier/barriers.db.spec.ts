import { Digest } from '@connector/kernel/digest';
import { AttemptId } from '@connector/kernel/ids';
import { catalogBarrierReceipt } from '@connector/kernel/publication-barrier';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { BarrierSite } from '@connector/testing/fixtures/barrier-site';
import { holderOf, holdOf } from '@connector/testing/fixtures/barriers';
import { installationRows } from '@connector/testing/fixtures/installation';
import { countOf } from '@connector/testing/fixtures/serving';
import { readBarriersOf, readHeldBarriers } from '../../reads/barriers';
import { setMembership } from '../set-membership.tx';

let schema: TestSchema;
let site: BarrierSite;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  site = await BarrierSite.open(schema);
});
afterAll(() => schema.close());

const row = async () => {
  const [found] = await schema.sql('SELECT state, barrier_fence, holder_fence, attempt_id, receipt FROM cat_publication_barrier');
  return { ...found, state: String(found?.['state']) };
};
const OPEN = { state: 'open', attempt_id: null, receipt: null };

describe('acquire-barrier', () => {
  it('held: cat:INT-16 cat:INT-18 for one attempt, with a receipt of the view that stands; the same asking again is the same hold', async () => {
    const held = await site.acquire(1);
    expect(held).toMatchObject({ kind: 'held', barrierFence: 1n });
    const receipt = held.kind === 'held' ? catalogBarrierReceipt.parse(held.receiptBytes) : undefined;
    expect(receipt).toMatchObject({
      digest: held.kind === 'held' && held.receiptDigest,
      value: { owner: 'catalog', attempt_id: site.attemptId, barrier_fence: '1', view_digest: site.expected.viewDigest },
    });
    const before = await row();
    expect(await site.acquire(1)).toEqual(held);
    expect(await row()).toEqual(before);
    expect(await countOf(schema, "cat_audit WHERE door = 'acquire-barrier'")).toBe(1);
  });

  it('held: cat:INT-18 a successor takes over with the same receipt, and its predecessor neither holds nor releases any more (cat:INT-17)', async () => {
    const held = await site.acquire(1);
    expect(await site.acquire(2)).toEqual(held);
    expect(await site.acquire(1)).toEqual({ kind: 'stale-holder', holderFence: 2n });
    expect(await site.release(1)).toEqual({ kind: 'stale', barrierFence: 1n, holderFence: 2n });
    expect(await readBarriersOf(schema.db, site.attemptId)).toMatchObject([
      { attemptId: site.attemptId, barrierFence: 1n, holderFence: 2n },
    ]);
  });

  it('conflict: another attempt holds it, whatever fence asks', async () => {
    await site.acquire(1);
    expect(await site.acquire(9, { attemptId: AttemptId.mint() })).toEqual({ kind: 'conflict', attemptId: site.attemptId });
  });

  it('stale-holder: cat:INT-17 a late request of a holder that released holds nothing anew', async () => {
    await site.acquire(1);
    await site.release(1);
    expect(await site.acquire(1)).toEqual({ kind: 'stale-holder', holderFence: 1n });
    expect(await row()).toMatchObject({ ...OPEN, barrier_fence: '1' });
    expect(await site.acquire(2)).toMatchObject({ kind: 'held', barrierFence: 2n });
  });

  const otherLineage = (change: object) => ({ expected: { ...site.expected, lineage: { ...site.expected.lineage, ...change } } });
  it.each([
    ['another view', () => ({ expected: { ...site.expected, viewDigest: Digest.sha256(Buffer.from('other')) } })],
    ['another lineage', () => otherLineage({ lineageId: 'other' })],
    ['another revision', () => otherLineage({ catalogRevision: 9n })],
    ['another activation epoch', () => otherLineage({ activationEpoch: 9n })],
  ])('drift: cat:INT-16 the epoch froze %s', async (_what, over) => {
    expect(await site.acquire(1, over())).toEqual({ kind: 'drift', current: site.expected });
    expect(await row()).toMatchObject({ ...OPEN, barrier_fence: '0' });
  });

  it('drift: cat:INT-16 the membership moved since; of a workload that has no view nothing stands', async () => {
    expect(await setMembership(schema.db, site.wants())).toMatchObject({ kind: 'set' });
    expect(await site.acquire(1)).toMatchObject({ kind: 'drift', current: { lineage: { catalogRevision: 3n } } });
    expect(await site.acquire(1, { workload: 'wl.other' })).toEqual({ kind: 'drift', current: null });
    await schema.sql('UPDATE cat_installation SET active_attempt = NULL');
    expect(await site.acquire(1)).toEqual({ kind: 'drift', current: null });
  });

  it('held: cat:INT-16 of one installation, and so released: its neighbour’s barrier is open, then held by another attempt', async () => {
    const [installation, attemptId] = ['018f3c2a-0001-7000-8000-000000000009', AttemptId.mint()];
    const whose = { organization: site.organization, installation, lineageId: '', securityEpoch: 1n, dependencyReleaseDigests: [] };
    await installationRows(schema, { ...whose, appReleaseDigest: Digest.sha256(Buffer.from('other')), grants: [] });
    await site.acquire(1);
    expect(await readHeldBarriers(schema.db)).toMatchObject({ held: [{ installation: site.installation }] });
    await schema.sql(
      `UPDATE cat_publication_barrier SET state = 'held', barrier_fence = 1, holder_fence = 1, attempt_id = ?, receipt = '{}' WHERE app_installation_id = ?`,
      [AttemptId.bytes(attemptId), Buffer.from(installation)],
    );
    expect(await site.release(1, { attemptId, installation: site.installation })).toMatchObject({ kind: 'stale' });
    await site.release(1);
    expect(await readHeldBarriers(schema.db)).toMatchObject({ held: [{ installation, attemptId, barrierFence: 1n, holderFence: 1n }] });
  });

  it('no-installation: nobody has this one', async () => {
    expect(await site.acquire(1, { installation: 'other' })).toEqual({ kind: 'no-installation' });
  });
});

describe('release-barrier', () => {
  it('released: cat:INT-17 by whoever holds it, and nothing of the hold is left but its fences', async () => {
    await site.acquire(1);
    expect(await site.release(1)).toEqual({ kind: 'released' });
    expect(await row()).toMatchObject({ ...OPEN, barrier_fence: '1', holder_fence: '1' });
    expect(await readHeldBarriers(schema.db)).toEqual({ held: [], more: false });
  });

  it('released: cat:INT-17 cat:INT-18 by a successor, without taking it over first', async () => {
    await site.acquire(1);
    expect(await site.release(7)).toEqual({ kind: 'released' });
    expect(await site.acquire(6)).toEqual({ kind: 'stale-holder', holderFence: 7n });
  });

  it('already-released: the same asking again, and a successor that comes too late', async () => {
    await site.acquire(1);
    await site.release(1);
    expect(await site.release(1)).toEqual({ kind: 'already-released' });
    expect(await site.release(2)).toEqual({ kind: 'already-released' });
    expect(await countOf(schema, "cat_audit WHERE door = 'release-barrier'")).toBe(1);
  });

  it.each([
    ['another attempt', () => ({ attemptId: AttemptId.mint() })],
    ['another hold', () => ({ barrierFence: holdOf(2) })],
    ['a lower holder fence', () => ({ holderFence: holderOf(0) })],
  ])('stale: cat:INT-17 %s releases nothing', async (_who, over) => {
    await site.acquire(1);
    expect(await site.release(1, over())).toEqual({ kind: 'stale', barrierFence: 1n, holderFence: 1n });
    expect(await row()).toMatchObject({ state: 'held' });
  });

  it('stale: cat:INT-17 a hold that was released stays released when the next one holds', async () => {
    await site.acquire(1);
    await site.release(1);
    await site.acquire(2);
    expect(await site.release(2)).toEqual({ kind: 'stale', barrierFence: 2n, holderFence: 2n });
  });

  it('no-installation: nobody has this one', async () => {
    expect(await site.release(1, { installation: 'other' })).toEqual({ kind: 'no-installation' });
  });
});
