import type { AccountName } from '@connector/kernel/brand';
import { Digest } from '@connector/kernel/digest';
import { EpochId } from '@connector/kernel/ids';
import { doors, writePaths } from '@connector/kernel/paths';
import { lockRows, readRows, updateRows } from '@connector/kernel/statement';
import type { GenerationName } from '@connector/packs/model/pins';
import { pinGenerations } from '@connector/packs/transitions/pin-generations.tx';
import { pckGeneration, pckGenerationPin } from '@connector/schema/packs/packs';
import type { Part } from '@connector/testing/explorer/schedule';
import { registeredGenerations } from '@connector/testing/fixtures/registered-pack';
import type { Group, Site, World } from './group';

/** Two pins of one epoch: each of a generation of its own, or of all of them. */
async function pins(site: Site, words: readonly string[], of: (all: readonly GenerationName[], at: number) => readonly GenerationName[]) {
  const all = await registeredGenerations(site.schema.db, '1.0.0', '1.1.0');
  const epochId = EpochId.mint();
  const parts = words.map((word, at): Part => {
    const input = { epochId, epochDigest: Digest.sha256(Buffer.from(word)), generations: of(all, at) };
    return { name: 'pin', open: (db) => pinGenerations(db, input) };
  });
  return { parts, watch: { accounts: ['nobody/here' as AccountName], epochs: [epochId] } } satisfies World;
}

/**
 * What takes a generation away: a stand-in, since no door of the product does. It is written as one has to be: lock it, ask the pins, then act;
 * bytes of another digest are as good as gone.
 */
const takeAway = doors(
  writePaths({
    'take-away': {
      code: 'take-away',
      about: 'Take a pack generation away that no epoch relies on.',
      again: 'storage id',
      steps: ['lock pck_generation', 'read pck_generation_pin', 'update pck_generation?'],
    },
  }),
  { 'take-away': { paths: ['take-away'], by: ['packs'] } },
)['take-away'];
const ONE = 'WHERE storage_id = :storage_id';
const HELD = lockRows(pckGeneration, ['storage_id'], ONE);
const PINNED = readRows(pckGenerationPin, ['epoch_id'], `${ONE} LIMIT 1`);
const GONE = updateRows(pckGeneration, `SET payload_digest = :payload_digest ${ONE}`);

const uninstalls = ({ storageId }: GenerationName): Part => ({
  name: 'uninstall',
  open: (db) =>
    db.fenced(takeAway, async (tx) => {
      const key = { storage_id: storageId };
      await tx.lock(HELD, key);
      if ((await tx.read(PINNED, key)).length > 0) return { kind: 'pinned-by-an-epoch' };
      await tx.update(GONE, { ...key, payload_digest: Digest.sha256(Buffer.from(storageId)) });
      return { kind: 'taken-away' };
    }),
});

export const PACKS: readonly Group[] = [
  {
    name: 'pin | pin, another digest',
    meets: 'pck_epoch_pin',
    arrange: (site) => pins(site, ['one', 'other'], (all, at) => all.slice(at, at + 1)),
  },
  {
    name: 'uninstall | pin',
    meets: 'pck_generation',
    arrange: async (site) => {
      const generations = await registeredGenerations(site.schema.db, `1.0.0-${site.word()}`);
      const epochId = EpochId.mint();
      const input = { epochId, epochDigest: Digest.sha256(Buffer.from('one')), generations };
      // Which one is absent is another in each schedule.
      const pin: Part = { name: 'pin', open: async (db) => ({ kind: (await pinGenerations(db, input)).kind }) };
      return {
        parts: [uninstalls(generations[0] as GenerationName), pin],
        watch: { accounts: ['nobody/here' as AccountName], epochs: [epochId] },
      };
    },
  },
  { name: 'pin | pin, the same', meets: 'pck_generation', arrange: (site) => pins(site, ['one', 'one'], (all) => all) },
];
