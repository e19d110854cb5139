import { machine } from '@connector/kernel/machine';

/** catalog.md B.5: held for one activation attempt, and open again only by a release. */
export const publicationBarrierMachine = machine({
  name: 'PublicationBarrier',
  states: ['open', 'held'],
  initial: 'open',
  moves: { 'acquire-barrier': [['open', 'held']], 'release-barrier': [['held', 'open']] },
});
