import type { Door } from '@connector/kernel/paths';
import { Digest } from '@connector/kernel/digest';
import { AttemptId } from '@connector/kernel/ids';
import { packsBarrierReceipt } from '@connector/kernel/publication-barrier';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { PackBarrierSite } from '@connector/testing/fixtures/barrier-site';
import { holderOf, holdOf } from '@connector/testing/fixtures/barriers';
import { notedManifest, notedPack } from '@connector/testing/fixtures/registered-pack';
import { countOf } from '@connector/testing/fixtures/serving';
import { packManifest } from '../model/documents';
import { packDoors } from '../model/paths';
import { readPackAudit } from '../reads/audit';
import { readPackBarriersOf } from '../reads/barriers';
import { registerPack } from './register-pack.tx';

let schema: TestSchema;
let site: PackBarrierSite;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  site = await PackBarrierSite.open(schema);
});
afterAll(() => schema.close());

const row = async () => {
  const [found] = await schema.sql('SELECT state, barrier_fence, holder_fence, attempt_id, receipt FROM pck_publication_barrier');
  return { ...found, state: String(found?.['state']) };
};
const told = async () =>
  (await readPackAudit(schema.db, site.organization))
    .filter(({ door }) => door !== 'register-pack')
    .map(({ door, caller, details }) => [door, caller, JSON.parse(details)]);
const OPEN = { state: 'open', attempt_id: null, receipt: null };

describe('acquire-pack-barrier', () => {
  it('held: cat:INT-16 cat:INT-18 for one attempt, with a receipt of the generations; the same asking again is the same hold', async () => {
    const held = await site.acquire(1);
    expect(held).toMatchObject({ kind: 'held', barrierFence: 1n });
    const [one] = site.generations;
    expect(held.kind === 'held' && packsBarrierReceipt.parse(held.receiptBytes)).toMatchObject({
      digest: held.kind === 'held' && held.receiptDigest,
      value: { owner: 'packs', generations: [{ storage_id: one?.storageId, pack_payload_digest: one?.payloadDigest }] },
    });
    expect(await site.acquire(1)).toEqual(held);
    const details = { attempt_id: site.attemptId, barrier_fence: '1', holder_fence: '1' };
    expect(await told()).toEqual([['acquire-pack-barrier', 'cutover-coordinator', details]]);
  });

  it('held: cat:INT-18 a successor takes over with the same receipt, and its predecessor neither holds nor releases any more (cat:INT-17)', async () => {
    const held = await site.acquire(1);
    expect(await site.acquire(2)).toEqual(held);
    expect(await site.acquire(1)).toEqual({ kind: 'stale-holder', holderFence: 2n });
    expect(await site.release(1)).toEqual({ kind: 'stale', barrierFence: 1n, holderFence: 2n });
    expect(await readPackBarriersOf(schema.db, site.attemptId)).toMatchObject([
      { attemptId: site.attemptId, barrierFence: 1n, holderFence: 2n },
    ]);
  });

  it('conflict: another attempt holds it', async () => {
    await site.acquire(1);
    expect(await site.acquire(2, { attemptId: AttemptId.mint() })).toEqual({ kind: 'conflict', attemptId: site.attemptId });
  });

  it('stale-holder: cat:INT-17 a late request of a holder that released holds nothing anew', async () => {
    await site.acquire(1);
    await site.release(1);
    expect(await site.acquire(1)).toEqual({ kind: 'stale-holder', holderFence: 1n });
    expect(await site.acquire(2)).toMatchObject({ kind: 'held', barrierFence: 2n });
  });

  it('drift: a generation that is not there, or is of another digest', async () => {
    const [one] = site.generations;
    const other = { storageId: one?.storageId ?? '', payloadDigest: Digest.sha256(Buffer.from('other')) };
    expect(await site.acquire(1, { generations: [other] })).toEqual({ kind: 'drift', absent: [other] });
    expect(await row()).toMatchObject({ ...OPEN, barrier_fence: '0' });
  });

  it('no-packs: an organization that never had one', async () => {
    expect(await site.acquire(1, { organization: 'org-9' })).toEqual({ kind: 'no-packs' });
  });
});

describe('release-pack-barrier', () => {
  it('released: cat:INT-17 by whoever holds it or by a successor', async () => {
    await site.acquire(1);
    expect(await site.release(2)).toEqual({ kind: 'released' });
    expect(await row()).toMatchObject({ ...OPEN, barrier_fence: '1', holder_fence: '2' });
  });

  it('already-released: cat:A-47 the same asking again; what became of the attempt was told once', async () => {
    await site.acquire(1);
    await site.release(1, { outcome: 'given up by m.ortiz: the node is gone' });
    expect(await site.release(1)).toEqual({ kind: 'already-released' });
    const details = { attempt_id: site.attemptId, barrier_fence: '1', outcome: 'given up by m.ortiz: the node is gone' };
    expect((await told())[0]).toEqual(['release-pack-barrier', 'cutover-coordinator', details]);
    expect(await told()).toHaveLength(2);
  });

  it.each([
    ['another attempt', () => ({ attemptId: AttemptId.mint() })],
    ['another hold', () => ({ barrierFence: holdOf(2) })],
    ['a lower holder fence', () => ({ holderFence: holderOf(0) })],
  ])('stale: cat:INT-17 %s releases nothing', async (_who, over) => {
    await site.acquire(1);
    expect(await site.release(1, over())).toEqual({ kind: 'stale', barrierFence: 1n, holderFence: 1n });
  });

  it('no-packs: an organization that never had one', async () => {
    expect(await site.release(1, { organization: 'org-9' })).toEqual({ kind: 'no-packs' });
  });
});

describe('register-pack', () => {
  it('every: cat:INT-16 a door of the registry that writes what an organization has locks its barrier before anything else', () => {
    const has = ['pck_installation', 'pck_generation', 'pck_definition'];
    const authors = Object.values<Door>(packDoors).filter(({ steps }) =>
      steps.some(({ verb, table }) => verb === 'insert' && has.includes(table)),
    );
    expect(authors.map(({ name, steps }) => [name, steps[0]?.name])).toEqual([['register-pack', 'lock pck_publication_barrier']]);
  });

  it('barrier-held: cat:INT-16 nothing is authored for the organization; what stands is told, and another organization goes on', async () => {
    await site.acquire(1);
    expect(await registerPack(schema.db, notedPack('2.0.0'))).toEqual({ kind: 'barrier-held', attemptId: site.attemptId });
    expect(await registerPack(schema.db, notedPack())).toMatchObject({ kind: 'already-registered' });
    expect(await countOf(schema, 'pck_generation')).toBe(1);
    expect(await registerPack(schema.db, { ...notedPack('2.0.0'), organization: 'org-2' })).toMatchObject({ kind: 'registered' });
    expect(await registerPack(schema.db, { ...notedPack('1.0.0', 'y') })).toMatchObject({ kind: 'barrier-held' });
    await site.release(1);
    expect(await registerPack(schema.db, notedPack('2.0.0'))).toMatchObject({ kind: 'already-registered' });
  });

  it('barrier-held: cat:INT-16 a pack that others have and this organization has not is authoring, though its bytes stand', async () => {
    const south = {
      ...notedPack(),
      manifest: packManifest.build({ ...notedManifest('1.0.0', 'x'), owner_pack: 'dev.example.south' }).bytes,
    };
    await registerPack(schema.db, { ...south, organization: 'org-2' });
    await site.acquire(1);
    expect(await registerPack(schema.db, south)).toEqual({ kind: 'barrier-held', attemptId: site.attemptId });
    expect(await countOf(schema, "pck_installation WHERE organization_id = 'org-1'")).toBe(1);
  });

  it('registered: the barrier of an organization is born open with its first pack', async () => {
    await registerPack(schema.db, { ...notedPack(), organization: 'org-2' });
    const rows = await schema.sql("SELECT state FROM pck_publication_barrier WHERE organization_id = 'org-2'");
    expect(rows.map(({ state }) => String(state))).toEqual(['open']);
  });
});
