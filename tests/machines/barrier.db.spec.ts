import { publicationBarrierMachine } from '@connector/catalog/model/installation/barrier';
import { packBarrierMachine } from '@connector/packs/model/barrier';
import { notedPack } from '@connector/testing/fixtures/registered-pack';
import { BarrierSite, PackBarrierSite } from '@connector/testing/fixtures/barrier-site';
import type { TestSchema } from '@connector/testing/database';
import type { Subject } from './moves';
import type { Tap } from './tap';
import { countOf, faults, moved, trialOf, unlisted, untried, type Try } from './trial';

type Verb = 'acquire' | 'release';

function catalogTries(schema: TestSchema, tap: Tap): readonly Try[] {
  const on = (door: string, verb: Verb): Try => ({
    door,
    arrange: async () => {
      await schema.reset();
      const site = await BarrierSite.open(schema);
      await site.acquire(1);
      const key = { organization_id: Buffer.from(site.organization), app_installation_id: Buffer.from(site.installation) };
      return { key, open: () => site[verb](2, {}, tap.db) };
    },
  });
  return [on('acquire-barrier', 'acquire'), on('release-barrier', 'release')];
}

function packTries(schema: TestSchema, tap: Tap): readonly Try[] {
  const on = (door: string, verb: Verb): Try => ({
    door,
    arrange: async () => {
      await schema.reset();
      const site = await PackBarrierSite.open(schema);
      await site.acquire(1);
      return { key: { organization_id: Buffer.from(notedPack().organization) }, open: () => site[verb](2, {}, tap.db) };
    },
  });
  return [on('acquire-pack-barrier', 'acquire'), on('release-pack-barrier', 'release')];
}

const CATALOG: Subject = { machine: publicationBarrierMachine, table: 'cat_publication_barrier', column: 'state' };
const PACKS: Subject = { machine: packBarrierMachine, table: 'pck_publication_barrier', column: 'state' };

describe.each([
  ['PublicationBarrier', CATALOG, catalogTries, ['open-publication']],
  ['PackPublicationBarrier', PACKS, packTries, ['register-pack']],
] as const)('%s, 2 states, 4 pairs', (name, subject, tries, born) => {
  it('moved: cat:INT-17 by its doors, and by their statements alone, the two listed pairs; it is born elsewhere, and nothing else writes it', async () => {
    const trial = await trialOf(subject, tries);
    console.log(`${name}: ${countOf(trial)}`);
    expect(untried(trial)).toEqual(born);
    expect(faults(trial)).toEqual([]);
    expect(moved(trial.opened)).toEqual(['held>open', 'open>held']);
    expect(moved(trial.replayed)).toEqual(['held>open', 'open>held']);
    expect(unlisted(trial)).toEqual([]);
  }, 60_000);
});
