import type { AcquiredBarrier } from '@connector/catalog/transitions/barrier/acquire-barrier.tx';
import { setMembership } from '@connector/catalog/transitions/set-membership.tx';
import { packManifest } from '@connector/packs/model/documents';
import type { AcquiredPackBarrier } from '@connector/packs/transitions/acquire-pack-barrier.tx';
import { registerPack, type RegisterPack } from '@connector/packs/transitions/register-pack.tx';
import type { Part } from '@connector/testing/explorer/schedule';
import { BarrierSite, PackBarrierSite } from '@connector/testing/fixtures/barrier-site';
import { notedManifest, notedPack } from '@connector/testing/fixtures/registered-pack';
import type { Group, Site, World } from './group';

/** A receipt names the organization of its schedule, in bytes; the row shows it as the text that it is. Ids of the registry are random. */
async function told(answer: Promise<AcquiredBarrier | AcquiredPackBarrier>): Promise<unknown> {
  const said = await answer;
  return said.kind === 'held' ? { kind: said.kind, barrierFence: said.barrierFence } : said;
}

const acquires = (site: BarrierSite, fence: number): Part => ({
  name: `acquire ${fence}`,
  open: (db) => told(site.acquire(fence, {}, db)),
});
const releases = (site: BarrierSite, fence: number): Part => ({
  name: `release ${fence}`,
  open: (db) => site.release(fence, {}, db),
});
function wants(site: BarrierSite): Part {
  const input = site.wants();
  return { name: 'want', open: (db) => setMembership(db, input) };
}

const group = (name: string, parts: (site: BarrierSite) => readonly Part[] | Promise<readonly Part[]>): Group => ({
  name,
  meets: 'cat_publication_barrier',
  arrange: async (at: Site): Promise<World> => {
    const site = await BarrierSite.open(at.schema, at.word());
    return { parts: await parts(site), watch: { accounts: [], organizations: [site.organization] } };
  },
});

/** A pack that no other schedule has, in an organization of its own. */
export function packOf(word: string, version: string): RegisterPack {
  const manifest = packManifest.build({ ...notedManifest(version, 'x'), owner_pack: `dev.org-${word}` }).bytes;
  return { ...notedPack(version), organization: `org-${word}`, manifest };
}

const packGroup = (name: string, parts: (site: PackBarrierSite, word: string) => Promise<readonly Part[]>): Group => ({
  name,
  meets: 'pck_publication_barrier',
  arrange: async (at: Site): Promise<World> => {
    const word = at.word();
    const site = await PackBarrierSite.open(at.schema, packOf(word, '1.0.0'));
    return { parts: await parts(site, word), watch: { accounts: [], organizations: [site.organization] } };
  },
});
const acquiresPacks = (site: PackBarrierSite, fence: number): Part => ({
  name: `acquire packs ${fence}`,
  open: (db) => told(site.acquire(fence, {}, db)),
});

export const BARRIERS: readonly Group[] = [
  group('barrier acquire | author', (site) => [acquires(site, 1), wants(site)]),
  group('barrier acquire | barrier acquire, a successor', (site) => [acquires(site, 1), acquires(site, 2)]),
  group('barrier acquire | barrier release, a predecessor', async (site) => {
    await site.acquire(1);
    return [acquires(site, 2), releases(site, 1)];
  }),
  group('barrier acquire | barrier release, its own', async (site) => {
    await site.acquire(1);
    return [acquires(site, 1), releases(site, 1)];
  }),
  group('barrier release | author', async (site) => {
    await site.acquire(1);
    return [releases(site, 1), wants(site)];
  }),
  packGroup('pack barrier acquire | author', (site, word) => {
    const input = packOf(word, '2.0.0');
    return Promise.resolve([
      acquiresPacks(site, 1),
      { name: 'register', open: (db) => registerPack(db, input).then(({ kind }) => ({ kind })) },
    ]);
  }),
  packGroup('pack barrier acquire | pack barrier acquire, a successor', (site) =>
    Promise.resolve([acquiresPacks(site, 1), acquiresPacks(site, 2)]),
  ),
  packGroup('pack barrier acquire | pack barrier release, a predecessor', async (site) => {
    await site.acquire(1);
    return [acquiresPacks(site, 2), { name: 'release packs 1', open: (db) => site.release(1, {}, db) }];
  }),
];
