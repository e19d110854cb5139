import { machine } from '@connector/kernel/machine';

/** catalog.md B.5 for this registry: held for one activation attempt, and open again only by a release. */
export const packBarrierMachine = machine({
  name: 'PackPublicationBarrier',
  states: ['open', 'held'],
  initial: 'open',
  moves: { 'acquire-pack-barrier': [['open', 'held']], 'release-pack-barrier': [['held', 'open']] },
});
