import type { AccountName } from '@connector/kernel/brand';
import { Digest } from '@connector/kernel/digest';
import { EpochId } from '@connector/kernel/ids';
import type { GenerationName } from '@connector/packs/model/pins';
import { pinGenerations } from '@connector/packs/transitions/pin-generations.tx';
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

export const PACKS: readonly Group[] = [
  {
    name: 'pin | pin, another digest',
    meets: 'pck_epoch_pin',
    arrange: (site) => pins(site, ['one', 'other'], (all, at) => all.slice(at, at + 1)),
  },
  { name: 'pin | pin, the same', meets: 'pck_generation', arrange: (site) => pins(site, ['one', 'one'], (all) => all) },
];
