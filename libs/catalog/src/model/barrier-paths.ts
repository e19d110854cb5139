import { writePaths } from '@connector/kernel/paths';
import { AUDIT } from './steps';

/** Who authors in an installation, and who holds all of them off. */
export const barrierPaths = writePaths({
  'pass-barrier': {
    code: 'INT-16',
    about: 'Author in an installation only while nobody holds its publication barrier, and keep it so until the commit.',
    again: 'it writes nothing',
    steps: ['lock cat_publication_barrier'],
  },
  'acquire-barrier': {
    code: 'INT-18',
    about: 'Hold the authors of an installation off for one activation attempt, where its view is still the expected one.',
    again: 'activation attempt',
    steps: [
      'lock cat_publication_barrier',
      'read cat_view_current',
      'update cat_publication_barrier#hold?',
      'update cat_publication_barrier#take-over?',
      `${AUDIT}?`,
    ],
  },
  'release-barrier': {
    code: 'INT-17',
    about: 'Let an installation be authored again.',
    again: 'attempt and barrier fence',
    steps: ['lock cat_publication_barrier', 'update cat_publication_barrier#release', `${AUDIT}?`],
  },
});
